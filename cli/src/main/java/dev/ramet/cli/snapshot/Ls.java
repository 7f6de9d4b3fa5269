// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.snapshot;

import dev.ramet.api.snapshot.SnapshotInfo;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.command.ListCommand;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.output.Listing;
import dev.ramet.cli.output.Listing.HostFilter;
import dev.ramet.cli.term.HumanFormat;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command that lists snapshots. */
@Command(
    name = "ls",
    aliases = "list",
    description = {"Lists snapshots.", "Filters: status, name, tag, sandbox."},
    footerHeading = "%nExamples:%n",
    footer = {
      "  ramet snapshot ls",
      "  ramet snapshot ls --sandbox ID",
      "  ramet snapshot ls --json | jq -r '.[].snapshotID'"
    })
final class Ls extends ListCommand<SnapshotInfo> {
  @Option(names = "--sandbox", paramLabel = "ID", description = "Only those of this sandbox.")
  private @Nullable String sandbox;

  Ls(Context context) {
    super(context);
  }

  @Override
  protected byte[] fetch(Client client) {
    return client.getAllPages(
        filtered("/snapshots" + (sandbox == null ? "" : "?sandboxID=" + Client.encode(sandbox))));
  }

  @Override
  protected Listing<SnapshotInfo> listing(Instant now) {
    return new Listing<>(SnapshotInfo[].class, SnapshotInfo::snapshotID)
        .column("SNAPSHOT", SnapshotInfo::snapshotID)
        .column("NAME", s -> s.names() == null ? "" : String.join(",", s.names()))
        .column("TAGS", s -> String.join(",", s.tags()))
        .column("STATUS", SnapshotInfo::status)
        .column("SANDBOX", SnapshotInfo::originSandboxID)
        .column("MEMORY", s -> HumanFormat.mebibytes(s.memoryMB()))
        .wide("DISK", s -> HumanFormat.mebibytes(s.diskSizeMB()))
        .column("OWN", s -> HumanFormat.size(s.exclusiveBytes()))
        .column("CREATED", s -> HumanFormat.timeSince(s.createdAt(), now))
        .wide("USED BY", s -> s.usedBy() == null ? "" : String.join(",", s.usedBy()))
        .wide("DESCRIPTION", SnapshotInfo::description)
        .filter("status", s -> List.of(s.status()))
        .filter("name", s -> s.names() == null ? List.of() : s.names())
        .filter("tag", SnapshotInfo::tags)
        .filter(
            "sandbox", s -> s.originSandboxID() == null ? List.of() : List.of(s.originSandboxID()))
        .byHost("name", "name", HostFilter.SINGLE)
        .byHost("sandbox", "sandboxID", HostFilter.SINGLE);
  }
}
