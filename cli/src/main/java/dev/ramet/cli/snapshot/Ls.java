// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.snapshot;

import dev.ramet.api.snapshot.SnapshotInfo;
import dev.ramet.cli.command.ApiCommand;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.term.HumanFormat;
import dev.ramet.cli.term.Table;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command that lists snapshots. */
@Command(
    name = "ls",
    aliases = "list",
    description = "Lists snapshots.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  ramet snapshot ls",
      "  ramet snapshot ls --sandbox ID",
      "  ramet snapshot ls --json | jq -r '.[].snapshotID'"
    })
final class Ls extends ApiCommand {
  @Option(names = "--sandbox", paramLabel = "ID", description = "Only those of this sandbox.")
  private @Nullable String sandbox;

  @Option(
      names = {"-q", "--quiet"},
      description = "Print only the ids.")
  private boolean quiet;

  Ls(Context context) {
    super(context);
  }

  @Override
  protected int run(Client client) {
    byte[] list =
        client.getAllPages(
            "/snapshots" + (sandbox == null ? "" : "?sandboxID=" + Client.encode(sandbox)));
    if (quiet) {
      return ids(list, SnapshotInfo[].class, SnapshotInfo::snapshotID);
    }
    Instant now = Instant.now();
    Table table =
        new Table(
            context().paint(),
            "SNAPSHOT",
            "NAME",
            "TAGS",
            "STATUS",
            "SANDBOX",
            "MEMORY",
            "OWN",
            "CREATED");
    return list(
        list,
        SnapshotInfo[].class,
        table,
        s ->
            table.row(
                s.snapshotID(),
                s.names() == null ? "" : String.join(",", s.names()),
                String.join(",", s.tags()),
                s.status(),
                s.originSandboxID() == null ? "" : s.originSandboxID(),
                HumanFormat.mebibytes(s.memoryMB()),
                HumanFormat.size(s.exclusiveBytes()),
                HumanFormat.timeSince(s.createdAt(), now)));
  }
}
