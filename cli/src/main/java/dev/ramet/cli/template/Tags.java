// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.template;

import dev.ramet.api.template.TemplateTag;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.command.ListCommand;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.output.Listing;
import dev.ramet.cli.term.HumanFormat;
import java.time.Instant;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The command that lists the tags of a template. */
@Command(
    name = "tags",
    description = {"Lists the tags of a template's versions.", "Filters: tag, template."},
    footerHeading = "%nExamples:%n",
    footer = {"  ramet template tags web", "  ramet template tags web --json | jq -r '.[].tag'"})
final class Tags extends ListCommand<TemplateTag> {
  @Parameters(paramLabel = "NAME", description = "Name of the template, or id of a version.")
  private String name = "";

  Tags(Context context) {
    super(context);
  }

  @Override
  protected byte[] fetch(Client client) {
    return client.get("/templates/" + Client.encode(name) + "/tags").body();
  }

  @Override
  protected Listing<TemplateTag> listing(Instant now) {
    return new Listing<>(TemplateTag[].class, TemplateTag::tag)
        .column("TAG", TemplateTag::tag)
        .column("TEMPLATE", TemplateTag::buildID)
        .column("ASSIGNED", t -> HumanFormat.timeSince(t.createdAt(), now))
        .filter("tag", t -> List.of(t.tag()))
        .filter("template", t -> List.of(t.buildID()));
  }
}
