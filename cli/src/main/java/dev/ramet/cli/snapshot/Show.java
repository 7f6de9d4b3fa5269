// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.snapshot;

import dev.ramet.api.snapshot.CaptureInfo;
import dev.ramet.api.snapshot.SnapshotInfo;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.command.ViewCommand;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.term.HumanFormat;
import dev.ramet.cli.term.Table;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The command that shows one snapshot. */
@Command(
    name = "show",
    aliases = "info",
    description = "Shows one snapshot: its contents, its size, and the sandboxes that use it.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  ramet snapshot show SNAPSHOT",
      "  ramet snapshot show SNAPSHOT --json | jq .capture.phasesMs"
    })
final class Show extends ViewCommand {
  @Parameters(paramLabel = "SNAPSHOT", description = "Id, NAME, or NAME:TAG of the snapshot.")
  private String id = "";

  Show(Context context) {
    super(context);
  }

  @Override
  protected int run(Client client) {
    return show(
        client.get("/snapshots/" + Client.encode(id)),
        SnapshotInfo.class,
        SnapshotInfo::snapshotID,
        Show::rows);
  }

  private static void rows(Table table, SnapshotInfo s) {
    table.row("Snapshot", s.snapshotID());
    if (s.names() != null && !s.names().isEmpty()) {
      table.row("Name", String.join(", ", s.names()));
    }
    if (!s.tags().isEmpty()) {
      table.row("Tags", String.join(", ", s.tags()));
    }
    if (s.description() != null) {
      table.row("Description", s.description());
    }
    table.row(
        "Status", s.statusDetail() == null ? s.status() : s.status() + ": " + s.statusDetail());
    if (s.originSandboxID() != null) {
      table.row("Sandbox", s.originSandboxID());
    }
    table.row("Created", HumanFormat.timeAndAge(s.createdAt(), Instant.now()));
    table.row("CPUs", "" + s.cpuCount());
    table.row("Memory", HumanFormat.mebibytes(s.memoryMB()));
    table.row("Disk", HumanFormat.mebibytes(s.diskSizeMB()));
    table.row("Its own", HumanFormat.size(s.exclusiveBytes()) + ", freed when it is deleted");
    if (s.usedBy() != null && !s.usedBy().isEmpty()) {
      table.row("Used by", String.join(", ", s.usedBy()));
    }
    SnapshotInfo.WorkingSet set = s.workingSet();
    if (set != null) {
      table.row(
          "Read ahead",
          HumanFormat.size(set.bytes()) + " of its memory, whenever a sandbox is restored from it");
    }
    CaptureInfo capture = s.capture();
    if (capture != null) {
      captureRows(table, capture);
    }
  }

  private static void captureRows(Table table, CaptureInfo capture) {
    table.row("Mode", capture.mode() + ": " + capture.modeReason());
    table.row(
        "Wrote",
        HumanFormat.size(capture.memoryBytesWritten())
            + " of "
            + HumanFormat.size(capture.memoryBytesTotal())
            + " of memory");
    table.row(
        "Selected",
        HumanFormat.size(capture.memoryBytesSelected())
            + ", "
            + HumanFormat.size(capture.memoryBytesHoles())
            + " of it zeros");
    if (capture.precopyRounds() > 0) {
      table.row(
          "Copied before",
          HumanFormat.size(capture.precopyBytes()) + " in " + capture.precopyRounds() + " rounds");
    }
    CaptureInfo.Replaced replaced = capture.replaced();
    if (replaced != null) {
      table.row(
          "Replaced",
          replaced.snapshotID() + ", " + replaced.memoryVolume() + ": " + replaced.reason());
    }
    table.row("Paused for", HumanFormat.millis(capture.pauseMs()));
    Map<String, Double> paused = valueOrNone(capture.pausePhasesMs());
    paused.forEach((phase, ms) -> table.row("  " + phase, HumanFormat.millis(ms)));
    table.row("Took", HumanFormat.millis(capture.totalMs()));
    valueOrNone(capture.phasesMs())
        .forEach(
            (phase, ms) -> {
              if (!paused.containsKey(phase)) {
                table.row("  " + phase, HumanFormat.millis(ms));
              }
            });
  }

  /** Returns the phases; an older host does not send them. */
  private static Map<String, Double> valueOrNone(@Nullable Map<String, Double> phases) {
    return phases == null ? Map.of() : phases;
  }
}
