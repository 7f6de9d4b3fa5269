// SPDX-License-Identifier: Apache-2.0
package dev.ramet.bench.memory;

import dev.ramet.api.sandbox.SandboxInfo;
import dev.ramet.api.snapshot.SnapshotInfo;
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
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** Measures snapshots of many sandboxes at once. Used by one thread. */
final class Together {
  private static final int COUNT = 10;
  private static final int[] WRITTEN_MB = {16, 96};
  private static final int WARM_UP = 2;

  private final Settings settings;
  private final Host host;
  private final Floors floors;
  private final MemoryFloors memoryFloors;

  Together(Settings settings, Host host, Floors floors, MemoryFloors memoryFloors) {
    this.settings = settings;
    this.host = host;
    this.floors = floors;
    this.memoryFloors = memoryFloors;
  }

  List<Result> measure() throws IOException, InterruptedException {
    List<SandboxInfo> sandboxes = new ArrayList<>();
    List<Guest> guests = new ArrayList<>();
    for (int i = 0; i < COUNT; i++) {
      SandboxInfo sandbox = host.api().create("micro");
      sandboxes.add(sandbox);
      Guest guest = new Guest(settings, host, floors, sandbox);
      guest.hold(WRITTEN_MB[WRITTEN_MB.length - 1]);
      guests.add(guest);
    }
    List<Result> results = new ArrayList<>();
    for (int megabytes : WRITTEN_MB) {
      Progress.say(COUNT + " sandboxes at once, " + megabytes + " MiB each");
      results.addAll(measure(sandboxes, guests, megabytes));
    }
    for (SandboxInfo sandbox : sandboxes) {
      host.api().kill(sandbox.sandboxID());
    }
    return results;
  }

  /** Measurements for one amount of written memory: captures, and their floors. */
  private record Series(Samples took, Samples bytes, Samples overlays) {
    Series() {
      this(new Samples(), new Samples(), new Samples());
    }
  }

  private List<Result> measure(List<SandboxInfo> sandboxes, List<Guest> guests, int megabytes)
      throws IOException, InterruptedException {
    Series series = new Series();
    List<SnapshotInfo> made = List.of();
    ExecutorService threads = Executors.newFixedThreadPool(COUNT);
    try {
      for (int round = 0; round < WARM_UP + settings.times(6, 2); round++) {
        for (Guest guest : guests) {
          guest.write(megabytes);
        }
        List<SnapshotInfo> previous = made;
        made = round(sandboxes, threads, previous, megabytes, round < WARM_UP ? null : series);
        // The next snapshots build on these.
        delete(previous);
      }
      delete(made);
    } finally {
      threads.shutdown();
    }
    String name = COUNT + " snapshots at once, " + megabytes + " MiB written in each";
    return List.of(
        Result.of(name, "ms", series.took)
            .over(series.bytes)
            .ratioAtMost(1.3)
            .note("until durable; floor: as many threads write and sync as many bytes"),
        Result.of(name + ", as they lie", "ms", series.took)
            .over(series.overlays)
            .note("floor: as many threads clone the bases, write the same pages to them, sync"));
  }

  /**
   * Takes the snapshots, and measures the floor of their bytes alternately before or after them.
   * The floor of their layout needs the snapshots and comes last.
   */
  private List<SnapshotInfo> round(
      List<SandboxInfo> sandboxes,
      ExecutorService threads,
      List<SnapshotInfo> previous,
      int megabytes,
      @Nullable Series into)
      throws IOException, InterruptedException {
    Machine machine = Machine.of(sandboxes.get(0));
    boolean first = into != null && into.took.count() % 2 == 0;
    double floor = first ? write(machine, previous) : 0;
    settle(machine, ((long) COUNT * megabytes) << 20);
    long begin = System.nanoTime();
    List<SnapshotInfo> made = snapshots(sandboxes, threads);
    double ms = Host.millisSince(begin);
    if (into != null) {
      into.took.add(ms);
      into.bytes.add(first ? floor : write(machine, made));
      into.overlays.add(overlay(machine, previous, made));
    }
    return made;
  }

  private List<SnapshotInfo> snapshots(List<SandboxInfo> sandboxes, ExecutorService threads)
      throws IOException, InterruptedException {
    List<Callable<SnapshotInfo>> calls = new ArrayList<>();
    sandboxes.forEach(s -> calls.add(() -> host.api().snapshot(s.sandboxID())));
    List<SnapshotInfo> made = new ArrayList<>();
    try {
      for (Future<SnapshotInfo> one : threads.invokeAll(calls)) {
        made.add(one.get());
      }
    } catch (ExecutionException e) {
      throw new IOException("a snapshot failed", e);
    }
    return made;
  }

  /** Measures the floor: writing as many bytes as these snapshots did. */
  private double write(Machine machine, List<SnapshotInfo> like)
      throws IOException, InterruptedException {
    long bytes = written(like);
    settle(machine, bytes);
    double ms = memoryFloors.write(machine.scratch(), COUNT, bytes / COUNT);
    memoryFloors.forgetWritten(machine.scratch());
    return ms;
  }

  /**
   * Measures the floor: writing the changes of these snapshots to the same places of the previous
   * ones.
   */
  private double overlay(Machine machine, List<SnapshotInfo> over, List<SnapshotInfo> like)
      throws IOException, InterruptedException {
    List<String[]> pairs = new ArrayList<>();
    for (int i = 0; i < COUNT; i++) {
      pairs.add(new String[] {over.get(i).snapshotID(), like.get(i).snapshotID()});
    }
    settle(machine, written(like));
    double ms = memoryFloors.overlay(machine, pairs);
    memoryFloors.forgetWritten(machine.scratch());
    return ms;
  }

  /**
   * Prepares with half as much data as for one large file, because this runs two dozen times and
   * waits for the disk.
   */
  private void settle(Machine machine, long bytes) throws IOException, InterruptedException {
    memoryFloors.settle(machine.scratch(), bytes / 2);
  }

  private static long written(List<SnapshotInfo> snapshots) {
    long bytes = 0;
    for (SnapshotInfo snapshot : snapshots) {
      bytes += Objects.requireNonNull(snapshot.capture()).memoryBytesWritten();
    }
    return bytes;
  }

  private void delete(List<SnapshotInfo> snapshots) throws IOException {
    for (SnapshotInfo snapshot : snapshots) {
      host.api().deleteSnapshot(snapshot.snapshotID());
    }
  }
}
