// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.template;

import dev.ramet.api.template.TemplateTag;
import dev.ramet.cli.command.ApiCommand;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.term.HumanFormat;
import dev.ramet.cli.term.Table;
import java.time.Instant;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The command that lists the tags of a template. */
@Command(
    name = "tags",
    description = "Lists the tags of a template's versions.",
    footerHeading = "%nExamples:%n",
    footer = {"  ramet template tags web", "  ramet template tags web --json | jq -r '.[].tag'"})
final class Tags extends ApiCommand {
  @Parameters(paramLabel = "NAME", description = "Name of the template, or id of a version.")
  private String name = "";

  Tags(Context context) {
    super(context);
  }

  @Override
  protected int run(Client client) {
    Instant now = Instant.now();
    Table table = new Table(context().paint(), "TAG", "TEMPLATE", "ASSIGNED");
    return list(
        client.get("/templates/" + Client.encode(name) + "/tags").body(),
        TemplateTag[].class,
        table,
        t -> table.row(t.tag(), t.buildID(), HumanFormat.timeSince(t.createdAt(), now)));
  }
}
