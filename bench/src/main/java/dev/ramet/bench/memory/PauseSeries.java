// SPDX-License-Identifier: Apache-2.0
package dev.ramet.bench.memory;

import dev.ramet.api.snapshot.CaptureInfo;
import dev.ramet.api.snapshot.SnapshotInfo;
import dev.ramet.bench.host.Guest;
import dev.ramet.bench.host.Machine;
import dev.ramet.bench.report.Samples;
import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Measures a series of snapshots of a writing machine. Used by one thread. */
final class PauseSeries {
  final Samples pause = new Samples();
  final Samples read = new Samples();
  final Samples leastRead = new Samples();
  final Samples written = new Samples();
  final Samples delta = new Samples();
  String mode = "";
  int incomplete;

  private final MemoryFloors floors;
  private final SnapshotChain chain;
  private final Guest guest;

  PauseSeries(MemoryFloors floors, SnapshotChain chain, Guest guest) {
    this.floors = floors;
    this.chain = chain;
    this.guest = guest;
  }

  /** Repeatedly writes this much, takes a snapshot, and compares it with the previous one. */
  void take(int megabytes, int warmUp, int count) throws IOException, InterruptedException {
    for (int i = 0; i < warmUp + count; i++) {
      guest.write(megabytes);
      SnapshotInfo snapshot = chain.next();
      CaptureInfo capture = Objects.requireNonNull(snapshot.capture());
      @Nullable String before = chain.last();
      if (i >= warmUp && before != null) {
        Machine machine = Machine.of(chain.sandbox());
        MemoryFloors.Delta changed = floors.delta(machine, before, snapshot.snapshotID(), 3);
        mode = capture.mode();
        pause.add(capture.pauseMs());
        read.add(capture.phasesMs().getOrDefault("read", 0.0));
        leastRead.addAll(changed.readMs());
        written.add(capture.memoryBytesWritten() / 1048576.0);
        delta.add(changed.bytes() / 1048576.0);
      }
      chain.replaceBy(snapshot);
    }
    verify(megabytes);
  }

  /**
   * Takes another snapshot, which is not measured and must equal all of the machine's memory. Each
   * snapshot builds on the previous one, so a page that any of them missed is missing here too,
   * unless it was written again; a comparison of two images cannot show it.
   */
  private void verify(int megabytes) throws IOException, InterruptedException {
    guest.write(megabytes);
    @Nullable SnapshotInfo snapshot = chain.nextVerified();
    if (snapshot == null) {
      incomplete++;
    } else {
      chain.replaceBy(snapshot);
    }
  }
}
