// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.template;

import dev.ramet.cli.command.ApiCommand;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.http.Client;
import picocli.CommandLine.Command;

/** The command that lists recipes. */
@Command(
    name = "recipes",
    description = "Lists the recipes that templates can be built from.",
    footerHeading = "%nExamples:%n",
    footer = {"  ramet template recipes"})
final class Recipes extends ApiCommand {
  Recipes(Context context) {
    super(context);
  }

  @Override
  protected int run(Client client) {
    return ids(client.get("/templates/recipes").body(), String[].class, recipe -> recipe);
  }
}
