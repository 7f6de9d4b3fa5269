// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.template;

import dev.ramet.api.template.RemoveTags;
import dev.ramet.cli.command.ApiCommand;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.http.Client;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The command that removes tags from the versions of a template. */
@Command(
    name = "untag",
    description = {
      "Removes tags from the versions of a template.",
      "The versions remain; a version without tags is reached by its id."
    },
    footerHeading = "%nExamples:%n",
    footer = {"  ramet template untag web stable"})
final class Untag extends ApiCommand {
  @Parameters(index = "0", paramLabel = "NAME", description = "Name of the template.")
  private String name = "";

  @Parameters(index = "1..*", arity = "1..*", paramLabel = "TAG", description = "The tags.")
  private List<String> tags = new ArrayList<>();

  Untag(Context context) {
    super(context);
  }

  @Override
  protected int run(Client client) {
    client.delete("/templates/tags", new RemoveTags(name, tags));
    return 0;
  }
}
