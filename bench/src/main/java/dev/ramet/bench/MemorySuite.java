// SPDX-License-Identifier: Apache-2.0
package dev.ramet.bench;

import dev.ramet.api.CaptureInfo;
import dev.ramet.api.SandboxInfo;
import dev.ramet.api.SnapshotInfo;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A machine with 1 GiB that holds much of its own and writes some of it: what a snapshot of it
 * costs while it stands still, and afterwards. Used by one thread.
 */
final class MemorySuite {
  private static final int MEMORY_MB = 1024;
  private static final int HELD_MB = 512;
  private static final int SMALL_MB = 12;

  /** Still fits into the memory that a host reads pages into while a machine stands still. */
  private static final int MEDIUM_MB = 48;

  private static final int LARGE_MB = 128;

  /** A host that was just started runs unoptimized code. */
  private static final int WARM_UP = 8;

  /** The same where a call is short: it runs compiled code when it has been made that often. */
  private static final int QUICK_WARM_UP = 1000;

  /** Until a guest that is told to halt has halted. */
  private static final int HALT_MILLIS = 4000;

  private static final int MOST_CHANGES = 10;

  private static final String INCREMENTAL = "incremental";
  private static final String FULL = "full";

  private final Settings settings;
  private final Host host;
  private final Floors floors;
  private final MemoryFloors memoryFloors;
  private final List<Result> results = new ArrayList<>();

  /** What the next snapshot builds on. */
  private @Nullable String previous;

  MemorySuite(Settings settings, Host host, Floors floors) {
    this.settings = settings;
    this.host = host;
    this.floors = floors;
    this.memoryFloors = new MemoryFloors(settings, floors);
  }

  /** Runs all parts, or the one that was asked for. */
  List<Result> run() throws IOException, InterruptedException {
    host.start();
    if (settings.wants("pause")
        || settings.wants("direct")
        || settings.wants("scan")
        || settings.wants("full")) {
      host.api().buildTemplate("micro", MEMORY_MB);
      SandboxInfo sandbox = host.api().create("micro");
      Guest guest = new Guest(settings, host, floors, sandbox);
      guest.hold(HELD_MB);
      if (settings.wants("pause")) {
        pauses(sandbox, guest);
      }
      if (settings.wants("direct")) {
        withoutPreCopy(sandbox, guest);
      }
      if (settings.wants("scan")) {
        scans(sandbox, guest);
      }
      if (settings.wants("full")) {
        full(sandbox);
        fullOfRestored();
      }
    } else {
      host.api().buildTemplate("micro");
    }
    if (settings.wants("unchanged")) {
      results.add(unchanged());
    }
    if (settings.wants("slowdown")) {
      results.addAll(new Slowdown(settings, host, floors).measure());
    }
    if (settings.wants("together")) {
      results.addAll(new Together(settings, host, floors, memoryFloors).measure());
    }
    return results;
  }

  /** What one snapshot after another showed. */
  private final class Series {
    final Samples pause = new Samples();
    final Samples read = new Samples();
    final Samples leastRead = new Samples();
    final Samples written = new Samples();
    final Samples delta = new Samples();
    String mode = "";
    int incomplete;

    /** Writes so much, takes a snapshot, and compares it with the one before, over and over. */
    void take(SandboxInfo sandbox, Guest guest, int megabytes, int warmUp, int count)
        throws IOException, InterruptedException {
      for (int i = 0; i < warmUp + count; i++) {
        guest.write(megabytes);
        SnapshotInfo snapshot = host.api().snapshot(sandbox.sandboxID());
        CaptureInfo capture = Objects.requireNonNull(snapshot.capture());
        @Nullable String before = previous;
        if (i >= warmUp && before != null) {
          Machine machine = Machine.of(sandbox);
          MemoryFloors.Delta changed =
              memoryFloors.delta(machine, before, snapshot.snapshotID(), 3);
          mode = capture.mode();
          pause.add(capture.pauseMs());
          read.add(capture.phasesMs().getOrDefault("read", 0.0));
          leastRead.addAll(changed.readMs());
          written.add(capture.memoryBytesWritten() / 1048576.0);
          delta.add(changed.bytes() / 1048576.0);
        }
        replacePrevious(snapshot);
      }
      verify(sandbox, guest, megabytes);
    }

    /**
     * Takes one more, which is not measured and must equal all of the machine's memory. Each builds
     * on the one before, so a page that any of them missed is missing in it, too, unless it was
     * written again; and what an image lacks no comparison of two images can show.
     */
    private void verify(SandboxInfo sandbox, Guest guest, int megabytes)
        throws IOException, InterruptedException {
      guest.write(megabytes);
      @Nullable SnapshotInfo snapshot = host.api().verifiedSnapshot(sandbox.sandboxID());
      if (snapshot == null) {
        incomplete++;
      } else {
        replacePrevious(snapshot);
      }
    }
  }

  private void replacePrevious(SnapshotInfo snapshot) throws IOException, InterruptedException {
    @Nullable String before = previous;
    previous = snapshot.snapshotID();
    if (before != null) {
      host.api().deleteSnapshot(before);
    }
  }

  private void pauses(SandboxInfo sandbox, Guest guest) throws IOException, InterruptedException {
    Progress.say("pauses of a busy machine");
    guest.keepBusy();
    Series small = new Series();
    small.take(sandbox, guest, SMALL_MB, WARM_UP, settings.times(40, 4));
    Series most = new Series();
    most.take(sandbox, guest, HELD_MB, 1, settings.times(3, 2));

    Progress.say("QEMU's own ways");
    // savevm needs a machine that was restored from what is loaded.
    String source = Objects.requireNonNull(previous);
    SandboxInfo copy = host.api().create(source);
    Machine restored = Machine.of(copy);
    Samples savevm = memoryFloors.savevm(restored, restored.saved(source), settings.times(3, 1));
    host.api().kill(copy.sandboxID());
    Machine machine = Machine.of(sandbox);
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
    results.add(times("migrate to a file over that pause", migrate, small.pause, 50));
    results.add(times("savevm over that pause", savevm, small.pause, 200));
    results.add(
        Result.of("pause, " + HELD_MB + " MiB written", "ms", most.pause)
            .over(small.pause)
            .ratioAtMost(3)
            .note("floor: the pause with " + SMALL_MB + " MiB written"));
    written(small, SMALL_MB, "with pre-copy");
    written(most, HELD_MB, "with pre-copy");
  }

  private void written(Series series, int megabytes, String how) {
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

  private void withoutPreCopy(SandboxInfo sandbox, Guest guest)
      throws IOException, InterruptedException {
    Progress.say("pauses without pre-copy");
    host.stop();
    host.start("ramet.precopy-rounds=0");
    Series small = new Series();
    small.take(sandbox, guest, SMALL_MB, WARM_UP, settings.times(12, 4));
    Series medium = new Series();
    medium.take(sandbox, guest, MEDIUM_MB, 1, settings.times(8, 3));
    Series large = new Series();
    large.take(sandbox, guest, LARGE_MB, 1, settings.times(4, 2));
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

  private void describe(Series series, int megabytes, String note) {
    String what = megabytes + " MiB written, without pre-copy";
    results.add(Result.of("pause, " + what, "ms", series.pause).over(series.leastRead).note(note));
    results.add(
        Result.of("of that pause, reading pages", "ms", series.read)
            .over(series.leastRead)
            .note(note));
    written(series, megabytes, "without pre-copy");
  }

  /** Asks over and over for a snapshot of a machine that has halted. */
  private Result unchanged() throws IOException, InterruptedException {
    Progress.say("a machine that does nothing");
    SandboxInfo sandbox = host.api().create("micro");
    new Guest(settings, host, floors, sandbox)
        .run("(sleep 1; halt -f) >/dev/null 2>&1 </dev/null &");
    Thread.sleep(HALT_MILLIS);
    String last = host.api().snapshot(sandbox.sandboxID()).snapshotID();
    int changes = 0;
    Samples took = new Samples();
    for (int i = 0; i < QUICK_WARM_UP + settings.times(100, 10); i++) {
      long begin = System.nanoTime();
      SnapshotInfo same = host.api().snapshotIfChanged(sandbox.sandboxID());
      double ms = Host.millisSince(begin);
      if (!last.equals(same.snapshotID())) {
        // A packet from the network reaches the memory of a machine that has halted, too.
        last = same.snapshotID();
        changes++;
      } else if (i >= QUICK_WARM_UP) {
        took.add(ms);
      }
    }
    if (changes > MOST_CHANGES) {
      throw new IOException("a machine that halted has changed " + changes + " times");
    }
    host.api().kill(sandbox.sandboxID());
    return Result.of("snapshot if changed, nothing changed", "ms", took)
        .atMost(5)
        .note("through the API; no pause; after a thousand such calls");
  }

  private static Result times(String name, Samples slow, Samples fast, double least) {
    return Result.of(name, "ms", slow).over(fast).ratioAtLeast(least);
  }

  private void scans(SandboxInfo sandbox, Guest guest) throws IOException, InterruptedException {
    Progress.say("finding pages");
    Machine machine = Machine.of(sandbox);
    Samples tracking = new Samples();
    String mode = "";
    MemoryFloors.Scans least = new MemoryFloors.Scans();
    for (int i = 0; i < WARM_UP + settings.times(12, 4); i++) {
      guest.write(SMALL_MB);
      if (i >= WARM_UP) {
        memoryFloors.scan(machine, least);
      }
      CaptureInfo capture = capture(sandbox, null);
      mode = capture.mode();
      if (i >= WARM_UP) {
        tracking.add(capture.phasesMs().getOrDefault("select", 0.0));
      }
    }
    String held = " of about " + HELD_MB + " MiB held, " + SMALL_MB + " MiB written";
    Result selection = Result.of("select, " + mode, "ms", tracking);
    if (least.written().count() > 0) {
      results.add(
          selection
              .over(least.written())
              .ratioAtMost(1.2)
              .note(held.strip() + "; floor: PAGEMAP_SCAN in C"));
      results.add(times("reading the page table over that", least.table(), tracking, 3));
    } else {
      results.add(selection.over(least.table()).ratioAtMost(1.2).note("floor: pagemap in C"));
    }
    Samples incremental = new Samples();
    MemoryFloors.Scans table = new MemoryFloors.Scans();
    for (int i = 0; i < 1 + settings.times(10, 3); i++) {
      if (i > 0) {
        memoryFloors.scanTable(machine, table);
      }
      CaptureInfo capture = capture(sandbox, INCREMENTAL);
      if (i > 0) {
        incremental.add(capture.phasesMs().getOrDefault("select", 0.0));
      }
    }
    results.add(
        Result.of("select, " + INCREMENTAL, "ms", incremental)
            .over(table.table())
            .ratioAtMost(1.2)
            .note("floor: pagemap in C"));
  }

  /** One snapshot in place of the one before. */
  private CaptureInfo capture(SandboxInfo sandbox, @Nullable String mode)
      throws IOException, InterruptedException {
    SnapshotInfo snapshot =
        mode == null
            ? host.api().snapshot(sandbox.sandboxID())
            : host.api().snapshot(sandbox.sandboxID(), mode);
    replacePrevious(snapshot);
    return Objects.requireNonNull(snapshot.capture());
  }

  private void full(SandboxInfo sandbox) throws IOException, InterruptedException {
    Progress.say("full captures");
    Path scratch = Machine.of(sandbox).scratch();
    Samples total = new Samples();
    Samples pause = new Samples();
    Samples copy = new Samples();
    Map<String, Samples> phases = new LinkedHashMap<>();
    long bytes = (long) HELD_MB << 20;
    for (int i = 0; i < 1 + settings.times(9, 2); i++) {
      memoryFloors.settle(scratch, bytes);
      CaptureInfo capture = capture(sandbox, FULL);
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
    results.add(
        Result.of("full capture", "ms", total)
            .over(copy)
            .ratioAtMost(1 / 0.9)
            .note("until durable; floor: dd of as many bytes, with fdatasync"));
    results.add(Result.of("full capture, pause", "ms", pause));
    phases.forEach((phase, ms) -> results.add(Result.of("of it " + phase, "ms", ms)));
  }

  /** Of machines of which nearly all is as it was restored, and most was never touched. */
  private void fullOfRestored() throws IOException, InterruptedException {
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
    results.add(
        Result.of("full capture, just restored", "ms", total)
            .over(copy)
            .note("until durable; floor: dd of as many bytes, with fdatasync"));
    results.add(Result.of("full capture, just restored, pause", "ms", pause));
  }
}
