// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.view;

import dev.ramet.api.snapshot.SnapshotDiff;
import dev.ramet.engine.snapshots.ImageDifference;
import dev.ramet.engine.snapshots.SnapshotDifference;

/** Converts the differences of two snapshots to their wire form. */
public final class DiffView {
  private static final int PAGE_BYTES = 4096;

  private DiffView() {}

  public static SnapshotDiff of(SnapshotDifference d) {
    ImageDifference memory = d.memory();
    return new SnapshotDiff(
        d.a(), d.b(), memory == null ? null : of(memory), of(d.disk()), Units.millis(d.nanos()));
  }

  private static SnapshotDiff.Image of(ImageDifference d) {
    return new SnapshotDiff.Image(
        d.sizeBytes(),
        d.differingBytes(),
        d.differingBytes() / PAGE_BYTES,
        d.rangeCount(),
        d.ranges().stream().map(r -> new SnapshotDiff.Range(r.offset(), r.length())).toList(),
        d.sharedBytes(),
        d.comparedBytes());
  }
}
