// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.template;

import dev.ramet.api.template.TemplateInfo;
import dev.ramet.cli.command.ApiCommand;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.term.HumanFormat;
import dev.ramet.cli.term.Table;
import java.time.Instant;
import picocli.CommandLine.Command;

/** The command that lists templates. */
@Command(
    name = "list",
    aliases = "ls",
    description = "Lists templates.",
    footerHeading = "%nExamples:%n",
    footer = {"  ramet template list", "  ramet template list --json | jq -r '.[].templateID'"})
final class Ls extends ApiCommand {
  Ls(Context context) {
    super(context);
  }

  @Override
  protected int run(Client client) {
    Instant now = Instant.now();
    Table table =
        new Table(
            context().paint(),
            "NAME",
            "TAGS",
            "TEMPLATE",
            "STATUS",
            "START",
            "CPU",
            "MEMORY",
            "DISK",
            "CREATED");
    return list(
        client.getAllPages("/templates"),
        TemplateInfo[].class,
        table,
        t ->
            table.row(
                String.join(",", t.names()),
                String.join(",", t.tags()),
                t.templateID(),
                t.status(),
                t.warm() ? "warm" : "cold",
                "" + t.cpuCount(),
                HumanFormat.mebibytes(t.memoryMB()),
                HumanFormat.mebibytes(t.diskSizeMB()),
                HumanFormat.timeSince(t.createdAt(), now)));
  }
}
