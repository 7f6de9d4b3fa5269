// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.template;

import dev.ramet.cli.command.Context;
import dev.ramet.cli.command.ViewCommand;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.http.Json;
import java.util.List;
import picocli.CommandLine.Command;

/** The command that lists recipes. */
@Command(
    name = "recipes",
    description = "Lists the recipes that templates can be built from.",
    footerHeading = "%nExamples:%n",
    footer = {"  ramet template recipes"})
final class Recipes extends ViewCommand {
  Recipes(Context context) {
    super(context);
  }

  @Override
  protected int run(Client client) {
    byte[] recipes = client.get("/templates/recipes").body();
    String[] names = Json.read(recipes, String[].class);
    if (!printed(recipes, String.join(System.lineSeparator(), names))) {
      List.of(names).forEach(context().out()::println);
    }
    return 0;
  }
}
