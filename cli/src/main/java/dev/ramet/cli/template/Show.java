// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.template;

import dev.ramet.api.template.TemplateInfo;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.command.ViewCommand;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.term.HumanFormat;
import dev.ramet.cli.term.Table;
import java.time.Instant;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The command that shows one template. */
@Command(
    name = "show",
    aliases = "info",
    description = "Shows one template.",
    footerHeading = "%nExamples:%n",
    footer = {"  ramet template show micro"})
final class Show extends ViewCommand {
  @Parameters(paramLabel = "TEMPLATE", description = "Id, NAME, or NAME:TAG of the template.")
  private String id = "";

  Show(Context context) {
    super(context);
  }

  @Override
  protected int run(Client client) {
    return show(
        client.get("/templates/" + Client.encode(id)),
        TemplateInfo.class,
        TemplateInfo::templateID,
        Show::rows);
  }

  private static void rows(Table table, TemplateInfo t) {
    table.row("Name", String.join(", ", t.names()));
    if (!t.tags().isEmpty()) {
      table.row("Tags", String.join(", ", t.tags()));
    }
    table.row("Template", t.templateID());
    table.row(
        "Status", t.statusDetail() == null ? t.status() : t.status() + ": " + t.statusDetail());
    table.row("Sandboxes", t.warm() ? "start from memory" : "boot");
    table.row("CPUs", "" + t.cpuCount());
    table.row("Memory", HumanFormat.mebibytes(t.memoryMB()));
    table.row("Disk", HumanFormat.mebibytes(t.diskSizeMB()));
    table.row("Its own", HumanFormat.size(t.exclusiveBytes()) + ", freed when it is deleted");
    table.row("Created", HumanFormat.timeAndAge(t.createdAt(), Instant.now()));
    if (t.contentKey() != null) {
      table.row("Content", t.contentKey());
    }
  }
}
