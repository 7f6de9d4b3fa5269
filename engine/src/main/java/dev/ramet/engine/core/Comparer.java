// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.core;

import dev.ramet.engine.ImageDifference;
import dev.ramet.engine.SnapshotDifference;
import dev.ramet.engine.diff.ImageComparison;
import dev.ramet.engine.store.Layout;
import dev.ramet.engine.store.SnapshotRecord;
import dev.ramet.spi.storage.NodeId;

/** Compares snapshots and templates, which stay while that lasts. Thread-safe. */
final class Comparer {
  private final Context context;
  private final Reclaimer reclaimer;

  Comparer(Context context, Reclaimer reclaimer) {
    this.context = context;
    this.reclaimer = reclaimer;
  }

  SnapshotDifference compare(String a, String b, int mostRanges) {
    long start = System.nanoTime();
    try (Reclaimer.Pin pinA = reclaimer.pin("snapshot", a);
        Reclaimer.Pin pinB = reclaimer.pin("snapshot", b)) {
      SnapshotRecord one = pinA.record();
      SnapshotRecord other = pinB.record();
      ImageDifference memory =
          one.warm() && other.warm()
              ? compare(
                  Layout.snapshotMemory(one.id()), Layout.snapshotMemory(other.id()), mostRanges)
              : null;
      ImageDifference disk =
          compare(Layout.snapshotDisk(one.id()), Layout.snapshotDisk(other.id()), mostRanges);
      return new SnapshotDifference(one.id(), other.id(), memory, disk, System.nanoTime() - start);
    }
  }

  private ImageDifference compare(NodeId a, NodeId b, int mostRanges) {
    return new ImageComparison(
            context.storage().attach(a).path(), context.storage().attach(b).path(), mostRanges)
        .run();
  }
}
