// SPDX-License-Identifier: Apache-2.0
package dev.ramet.bench.memory;

import dev.ramet.api.sandbox.SandboxInfo;
import dev.ramet.api.snapshot.CaptureInfo;
import dev.ramet.api.snapshot.SnapshotInfo;
import dev.ramet.bench.host.Host;
import dev.ramet.bench.host.Machine;
import dev.ramet.bench.host.Settings;
import dev.ramet.bench.report.Progress;
import dev.ramet.bench.report.Result;
import dev.ramet.bench.report.Samples;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Measures snapshots with all of a machine's memory, compared with the disk's speed. */
final class FullCaptures {
  private static final String FULL = "full";

  private final Settings settings;
  private final Host host;
  private final MemoryFloors memoryFloors;

  FullCaptures(Settings settings, Host host, MemoryFloors memoryFloors) {
    this.settings = settings;
    this.host = host;
    this.memoryFloors = memoryFloors;
  }

  /** Measures a machine that holds much memory of its own. */
  List<Result> ofHeld(SnapshotChain chain) throws IOException, InterruptedException {
    Progress.say("full captures");
    Path scratch = Machine.of(chain.sandbox()).scratch();
    Samples total = new Samples();
    Samples pause = new Samples();
    Samples copy = new Samples();
    Map<String, Samples> phases = new LinkedHashMap<>();
    long bytes = (long) MemorySuite.HELD_MB << 20;
    for (int i = 0; i < 1 + settings.times(9, 2); i++) {
      memoryFloors.settle(scratch, bytes);
      CaptureInfo capture = chain.capture(FULL);
      bytes = capture.memoryBytesWritten();
      memoryFloors.settle(scratch, bytes);
      double floor = memoryFloors.dd(scratch, bytes);
      if (i > 0) {
        total.add(capture.totalMs());
        pause.add(capture.pauseMs());
        copy.add(floor);
        capture
            .phasesMs()
            .forEach((phase, ms) -> phases.computeIfAbsent(phase, p -> new Samples()).add(ms));
      }
    }
    memoryFloors.forget(scratch);
    List<Result> results = new ArrayList<>();
    results.add(
        Result.of("full capture", "ms", total)
            .over(copy)
            .ratioAtMost(1 / 0.9)
            .note("until durable; floor: dd of as many bytes, with fdatasync"));
    results.add(Result.of("full capture, pause", "ms", pause));
    phases.forEach((phase, ms) -> results.add(Result.of("of it " + phase, "ms", ms)));
    return results;
  }

  /** Measures machines whose memory is nearly all as it was restored, and mostly untouched. */
  List<Result> ofRestored() throws IOException, InterruptedException {
    Samples total = new Samples();
    Samples pause = new Samples();
    Samples copy = new Samples();
    for (int i = 0; i < settings.times(5, 2); i++) {
      SandboxInfo sandbox = host.api().create("micro");
      Path scratch = Machine.of(sandbox).scratch();
      SnapshotInfo snapshot = host.api().snapshot(sandbox.sandboxID(), FULL);
      CaptureInfo capture = Objects.requireNonNull(snapshot.capture());
      total.add(capture.totalMs());
      pause.add(capture.pauseMs());
      memoryFloors.settle(scratch, capture.memoryBytesWritten());
      copy.add(memoryFloors.dd(scratch, capture.memoryBytesWritten()));
      memoryFloors.forget(scratch);
      host.api().kill(sandbox.sandboxID());
      host.api().deleteSnapshot(snapshot.snapshotID());
    }
    return List.of(
        Result.of("full capture, just restored", "ms", total)
            .over(copy)
            .note("until durable; floor: dd of as many bytes, with fdatasync"),
        Result.of("full capture, just restored, pause", "ms", pause));
  }
}
