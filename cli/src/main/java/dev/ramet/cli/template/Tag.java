// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.template;

import dev.ramet.api.template.AssignTags;
import dev.ramet.api.template.AssignedTags;
import dev.ramet.cli.command.ApiCommand;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.command.RequestField;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.http.ClientResponse;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The command that assigns tags to a version of a template. */
@Command(
    name = "tag",
    description = {
      "Assigns tags to a version of a template, and prints its id.",
      "Other versions that had these tags lose them but remain."
    },
    footerHeading = "%nExamples:%n",
    footer = {"  ramet template tag web:v2 default stable"})
final class Tag extends ApiCommand {
  @Parameters(
      index = "0",
      paramLabel = "TEMPLATE",
      description = "Its id, NAME:TAG, or NAME for the one tagged default.")
  @RequestField("target")
  private String template = "";

  @Parameters(index = "1..*", arity = "1..*", paramLabel = "TAG", description = "The tags.")
  @RequestField("tags")
  private List<String> tags = new ArrayList<>();

  Tag(Context context) {
    super(context);
  }

  @Override
  protected int run(Client client) {
    ClientResponse answer = client.post("/templates/tags", new AssignTags(template, tags));
    return printId(answer, AssignedTags.class, AssignedTags::buildID);
  }
}
