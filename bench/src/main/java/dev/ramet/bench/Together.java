// SPDX-License-Identifier: Apache-2.0
package dev.ramet.bench;

import dev.ramet.api.SandboxInfo;
import dev.ramet.api.SnapshotInfo;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Snapshots of many sandboxes at once. Used by one thread. */
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
      results.add(measure(sandboxes, guests, megabytes));
    }
    for (SandboxInfo sandbox : sandboxes) {
      host.api().kill(sandbox.sandboxID());
    }
    return results;
  }

  private Result measure(List<SandboxInfo> sandboxes, List<Guest> guests, int megabytes)
      throws IOException, InterruptedException {
    Samples took = new Samples();
    Samples least = new Samples();
    Path scratch = Machine.of(sandboxes.get(0)).scratch();
    List<SnapshotInfo> made = List.of();
    ExecutorService threads = Executors.newFixedThreadPool(COUNT);
    try {
      for (int round = 0; round < WARM_UP + settings.times(6, 2); round++) {
        for (Guest guest : guests) {
          guest.write(megabytes);
        }
        // In turns, and nothing is deleted in between: memory that was just given back is much
        // faster to fill.
        boolean first = round % 2 == 0;
        List<SnapshotInfo> previous = made;
        double floor = first ? write(scratch, previous) : 0;
        long begin = System.nanoTime();
        made = snapshots(sandboxes, threads);
        double ms = Host.millisSince(begin);
        floor = first ? floor : write(scratch, made);
        if (round >= WARM_UP) {
          took.add(ms);
          least.add(floor);
        }
        if (floor > 0) {
          memoryFloors.forgetWritten(scratch);
        }
        // The next ones build on these.
        delete(previous);
      }
      delete(made);
    } finally {
      threads.shutdown();
    }
    return Result.of(
            COUNT + " snapshots at once, " + megabytes + " MiB written in each", "ms", took)
        .over(least)
        .ratioAtMost(1.3)
        .note("until durable; floor: as many threads write and sync as many bytes");
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

  /** The floor of what these wrote; 0 where nothing is known yet. */
  private double write(Path scratch, List<SnapshotInfo> like)
      throws IOException, InterruptedException {
    long bytes = 0;
    for (SnapshotInfo snapshot : like) {
      bytes += Objects.requireNonNull(snapshot.capture()).memoryBytesWritten();
    }
    return bytes == 0 ? 0 : memoryFloors.write(scratch, COUNT, bytes / COUNT);
  }

  private void delete(List<SnapshotInfo> snapshots) throws IOException {
    for (SnapshotInfo snapshot : snapshots) {
      host.api().deleteSnapshot(snapshot.snapshotID());
    }
  }
}
