// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.template;

import dev.ramet.api.template.TemplateInfo;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.command.ListCommand;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.output.Listing;
import dev.ramet.cli.term.HumanFormat;
import java.time.Instant;
import java.util.List;
import picocli.CommandLine.Command;

/** The command that lists templates. */
@Command(
    name = "list",
    aliases = "ls",
    description = {"Lists templates.", "Filters: status, name, tag."},
    footerHeading = "%nExamples:%n",
    footer = {"  ramet template list", "  ramet template list --json | jq -r '.[].templateID'"})
final class Ls extends ListCommand<TemplateInfo> {
  Ls(Context context) {
    super(context);
  }

  @Override
  protected byte[] fetch(Client client) {
    return client.getAllPages("/templates");
  }

  @Override
  protected Listing<TemplateInfo> listing(Instant now) {
    return new Listing<>(TemplateInfo[].class, TemplateInfo::templateID)
        .column("NAME", t -> String.join(",", t.names()))
        .column("TAGS", t -> String.join(",", t.tags()))
        .column("TEMPLATE", TemplateInfo::templateID)
        .column("STATUS", TemplateInfo::status)
        .column("START", t -> t.warm() ? "warm" : "cold")
        .column("CPU", t -> "" + t.cpuCount())
        .column("MEMORY", t -> HumanFormat.mebibytes(t.memoryMB()))
        .column("DISK", t -> HumanFormat.mebibytes(t.diskSizeMB()))
        .wide("OWN", t -> HumanFormat.size(t.exclusiveBytes()))
        .column("CREATED", t -> HumanFormat.timeSince(t.createdAt(), now))
        .wide("CONTENT", TemplateInfo::contentKey)
        .filter("status", t -> List.of(t.status()))
        .filter("name", TemplateInfo::names)
        .filter("tag", TemplateInfo::tags);
  }
}
