// SPDX-License-Identifier: Apache-2.0
package dev.ramet.bench.memory;

import dev.ramet.api.sandbox.SandboxInfo;
import dev.ramet.bench.host.Floors;
import dev.ramet.bench.host.Guest;
import dev.ramet.bench.host.Host;
import dev.ramet.bench.host.Machine;
import dev.ramet.bench.host.Settings;
import dev.ramet.bench.report.Progress;
import dev.ramet.bench.report.Result;
import dev.ramet.bench.report.Samples;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Measures how long a writing machine is paused for a snapshot, and how much is written. */
final class MemoryPauses {
  private static final int SMALL_MB = MemorySuite.SMALL_MB;
  private static final int HELD_MB = MemorySuite.HELD_MB;

  /** Still fits into the memory into which a host reads pages during a pause. */
  private static final int MEDIUM_MB = 48;

  private static final int LARGE_MB = 128;

  private final Settings settings;
  private final Host host;
  private final Floors floors;
  private final MemoryFloors memoryFloors;
  private final SnapshotChain chain;
  private final Guest guest;
  private final List<Result> results = new ArrayList<>();

  MemoryPauses(
      Settings settings,
      Host host,
      Floors floors,
      MemoryFloors memoryFloors,
      SnapshotChain chain,
      Guest guest) {
    this.settings = settings;
    this.host = host;
    this.floors = floors;
    this.memoryFloors = memoryFloors;
    this.chain = chain;
    this.guest = guest;
  }

  /** Returns the results so far. */
  List<Result> results() {
    return results;
  }

  private PauseSeries series() {
    return new PauseSeries(memoryFloors, chain, guest);
  }

  /** Measures pauses with pre-copy, the default, and compares them with QEMU's own methods. */
  void withPreCopy() throws IOException, InterruptedException {
    Progress.say("pauses of a busy machine");
    guest.keepBusy();
    PauseSeries small = series();
    small.take(SMALL_MB, MemorySuite.WARM_UP, settings.times(40, 4));
    PauseSeries most = series();
    most.take(HELD_MB, 1, settings.times(3, 2));

    Progress.say("QEMU's own ways");
    // savevm needs a machine restored from the state that is loaded.
    String source = Objects.requireNonNull(chain.last());
    SandboxInfo copy = host.api().create(source);
    Machine restored = Machine.of(copy);
    Samples savevm = memoryFloors.savevm(restored, restored.saved(source), settings.times(3, 1));
    host.api().kill(copy.sandboxID());
    Machine machine = Machine.of(chain.sandbox());
    // QEMU's monitor serves one client.
    host.stop();
    Floors.Pauses least = new Floors.Pauses();
    floors.pauses(machine, 3, settings.times(20, 8), least);
    Samples migrate = memoryFloors.migrate(machine, settings.times(3, 1));
    host.start();

    results.add(
        Result.of("pause, " + SMALL_MB + " MiB written", "ms", small.pause)
            .over(least.all())
            .ratioAtMost(1.5)
            .note("mode " + small.mode + "; floor: stop, save devices, cont"));
    results.add(Result.times("migrate to a file over that pause", migrate, small.pause, 50));
    results.add(Result.times("savevm over that pause", savevm, small.pause, 200));
    results.add(
        Result.of("pause, " + HELD_MB + " MiB written", "ms", most.pause)
            .over(small.pause)
            .ratioAtMost(3)
            .note("floor: the pause with " + SMALL_MB + " MiB written"));
    written(small, SMALL_MB, "with pre-copy");
    written(most, HELD_MB, "with pre-copy");
  }

  private void written(PauseSeries series, int megabytes, String how) {
    results.add(
        Result.of("memory written, " + megabytes + " MiB written, " + how, "MiB", series.written)
            .over(series.delta)
            .ratioAtMost(1.05)
            .note("floor: pages that differ, by a program of its own"));
    results.add(
        Result.of(
                "captures that miss pages, " + megabytes + " MiB written, " + how,
                "captures",
                Samples.of(series.incomplete))
            .atMost(0)
            .note("of one more capture, compared with all of the paused machine's memory"));
  }

  void withoutPreCopy() throws IOException, InterruptedException {
    Progress.say("pauses without pre-copy");
    host.stop();
    host.start("ramet.precopy-rounds=0");
    PauseSeries small = series();
    small.take(SMALL_MB, MemorySuite.WARM_UP, settings.times(12, 4));
    PauseSeries medium = series();
    medium.take(MEDIUM_MB, 1, settings.times(8, 3));
    PauseSeries large = series();
    large.take(LARGE_MB, 1, settings.times(4, 2));
    host.stop();
    host.start();
    String least = "floor: process_vm_readv of the pages that differ";
    results.add(
        Result.of(
                "pause, each MiB more from "
                    + SMALL_MB
                    + " to "
                    + MEDIUM_MB
                    + " written, without pre-copy",
                "ms",
                Samples.of(more(small.pause, medium.pause)))
            .over(Samples.of(more(small.leastRead, medium.leastRead)))
            .ratioAtMost(1.25)
            .note(least));
    describe(small, SMALL_MB, least);
    describe(medium, MEDIUM_MB, least);
    describe(large, LARGE_MB, least + "; more than staging memory takes");
  }

  private static double more(Samples small, Samples medium) {
    return (medium.p50() - small.p50()) / (MEDIUM_MB - SMALL_MB);
  }

  private void describe(PauseSeries series, int megabytes, String note) {
    String what = megabytes + " MiB written, without pre-copy";
    results.add(Result.of("pause, " + what, "ms", series.pause).over(series.leastRead).note(note));
    results.add(
        Result.of("of that pause, reading pages", "ms", series.read)
            .over(series.leastRead)
            .note(note));
    written(series, megabytes, "without pre-copy");
  }
}
