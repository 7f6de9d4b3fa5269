// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.view;

import dev.ramet.api.snapshot.SnapshotInfo;
import dev.ramet.engine.snapshots.Snapshot;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Converts snapshots to their wire form. */
public final class SnapshotView {
  private SnapshotView() {}

  public static SnapshotInfo of(Snapshot s) {
    String time = s.createdAt().toString();
    return SnapshotInfo.builder()
        .snapshotID(s.id())
        .names(s.name() == null ? List.of() : List.of(s.name()))
        .description(s.description())
        .status(s.status().name())
        .statusDetail(s.statusDetail())
        .originSandboxID(s.sandboxId())
        .sourceSandboxID(s.sandboxId())
        .templateID(s.templateId())
        .createdAt(time)
        .updatedAt(time)
        .cpuCount(s.cpuCount())
        .memoryMB(s.memoryBytes() / Units.MIB)
        .diskSizeMB(s.diskBytes() / Units.MIB)
        .exclusiveBytes(s.exclusiveBytes())
        .usedBy(s.usedBy())
        .workingSet(of(s.workingSet()))
        .capture(s.capture() == null ? null : CaptureView.of(s.capture()))
        .tags(s.tags())
        .build();
  }

  private static SnapshotInfo.@Nullable WorkingSet of(Snapshot.@Nullable WorkingSet s) {
    return s == null
        ? null
        : new SnapshotInfo.WorkingSet(s.recordedOf(), s.pages(), s.bytes(), s.whole());
  }
}
