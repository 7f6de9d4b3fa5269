// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.snapshot;

import dev.ramet.engine.pages.ImageComparison;
import dev.ramet.engine.snapshots.ImageDifference;
import dev.ramet.engine.snapshots.SnapshotDifference;
import dev.ramet.engine.state.Layout;
import dev.ramet.engine.state.SnapshotReclaimer;
import dev.ramet.engine.state.SnapshotRecord;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;

/** Compares the images of two snapshots or templates, which stay pinned meanwhile. Thread-safe. */
public final class SnapshotComparer {
  private final StorageBackend storage;
  private final SnapshotReclaimer reclaimer;

  public SnapshotComparer(StorageBackend storage, SnapshotReclaimer reclaimer) {
    this.storage = storage;
    this.reclaimer = reclaimer;
  }

  SnapshotDifference compare(String a, String b, int mostRanges) {
    long start = System.nanoTime();
    try (SnapshotReclaimer.Pin pinA = reclaimer.pin("snapshot", a);
        SnapshotReclaimer.Pin pinB = reclaimer.pin("snapshot", b)) {
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
    return new ImageComparison(storage.attach(a).path(), storage.attach(b).path(), mostRanges)
        .run();
  }
}
