// SPDX-License-Identifier: Apache-2.0
package dev.ramet.bench.snapshot;

import dev.ramet.api.sandbox.CloneResult;
import dev.ramet.api.sandbox.SandboxInfo;
import dev.ramet.api.snapshot.SnapshotInfo;
import dev.ramet.bench.host.Api;
import dev.ramet.bench.host.Floors;
import dev.ramet.bench.host.Host;
import dev.ramet.bench.host.Machine;
import dev.ramet.bench.host.Procfs;
import dev.ramet.bench.host.Settings;
import dev.ramet.bench.report.Progress;
import dev.ramet.bench.report.Result;
import dev.ramet.bench.report.Samples;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Measures clones of one sandbox: how long they take, and what each costs. Used by one thread. */
public final class CloneSuite {
  private static final int COUNT = 10;
  private static final int CONCURRENCY = 5;
  private static final int WARM_UP = 2;
  private static final double CLONE_RATIO = 1.3;
  private static final double DISK_MIB = 1;
  private static final double MEMORY_MIB = 3;
  private static final double KIB_PER_MIB = 1024;

  private final Settings settings;
  private final Host host;
  private final Floors floors;
  private final Samples clones = new Samples();
  private final Samples restores = new Samples();
  private final Samples captures = new Samples();
  private final Samples disk = new Samples();
  private final Samples diskKept = new Samples();
  private final List<Procfs.Anonymous> full = new ArrayList<>();
  private final List<Procfs.Anonymous> empty = new ArrayList<>();

  public CloneSuite(Settings settings, Host host, Floors floors) {
    this.settings = settings;
    this.host = host;
    this.floors = floors;
  }

  public List<Result> run() throws IOException, InterruptedException {
    host.start();
    Api api = host.api();
    api.buildTemplate("micro");
    SandboxInfo source = api.create("micro");
    SnapshotInfo snapshot = api.snapshot(source.sandboxID());
    Machine machine = Machine.of(api.create(snapshot.snapshotID()));
    Machine.Saved saved = machine.saved(snapshot.snapshotID());
    for (int round = 0; round < WARM_UP + settings.times(12, 3); round++) {
      boolean counts = round >= WARM_UP;
      Progress.say("clones, round " + (round + 1));
      double floor = floors.restores(machine, saved, COUNT, CONCURRENCY).totalMs();
      clones(source, machine.root(), counts);
      if (counts) {
        restores.add(floor);
        empty.add(floors.empty(machine, saved));
      }
    }
    return results();
  }

  private void clones(SandboxInfo source, Path root, boolean counts)
      throws IOException, InterruptedException {
    Api api = host.api();
    freeReserves(root);
    long before = usedBytes(root);
    long begin = System.nanoTime();
    CloneResult made = api.clone(source.sandboxID(), COUNT, CONCURRENCY);
    double took = Host.millisSince(begin);
    if (counts) {
      for (SandboxInfo sandbox : made.sandboxes()) {
        Machine clone = Machine.of(sandbox);
        full.add(Procfs.anonymous(clone.pid(), clone.image()));
      }
      clones.add(took);
      captures.add(Objects.requireNonNull(made.capture()).totalMs());
      disk.add(perCloneMib(usedBytes(root) - before));
      freeReserves(root);
      diskKept.add(perCloneMib(usedBytes(root) - before));
    }
    for (SandboxInfo sandbox : made.sandboxes()) {
      api.kill(sandbox.sandboxID());
    }
  }

  private List<Result> results() {
    Samples bare = new Samples();
    Samples bareCode = new Samples();
    for (Procfs.Anonymous memory : empty) {
      bare.add(memory.all() / KIB_PER_MIB);
      bareCode.add(memory.code() / KIB_PER_MIB);
    }
    double least = bare.p50();
    Samples all = new Samples();
    Samples over = new Samples();
    Samples guest = new Samples();
    Samples code = new Samples();
    for (Procfs.Anonymous memory : full) {
      all.add(memory.all() / KIB_PER_MIB);
      over.add(memory.all() / KIB_PER_MIB - least);
      guest.add(memory.image() / KIB_PER_MIB);
      code.add(memory.code() / KIB_PER_MIB);
    }
    return List.of(
        Result.of("clone " + COUNT + ", concurrency " + CONCURRENCY, "ms", clones)
            .over(restores)
            .ratioAtMost(CLONE_RATIO)
            .note("floor: bare restores, without the capture"),
        Result.of("clone capture", "ms", captures),
        Result.of("disk added per clone", "MiB", disk).atMost(DISK_MIB),
        Result.of("disk added, reserves freed", "MiB", diskKept),
        Result.of("memory per clone over an empty VMM", "MiB", over)
            .atMost(MEMORY_MIB)
            .note("anonymous memory"),
        Result.of("guest pages per clone", "MiB", guest),
        Result.of("translated code per clone", "MiB", code)
            .over(bareCode)
            .note("floor: an empty VMM; none with KVM"),
        Result.of("memory per clone", "MiB", all).over(bare).note("floor: an empty VMM"));
  }

  private static double perCloneMib(long bytes) {
    return bytes / KIB_PER_MIB / KIB_PER_MIB / COUNT;
  }

  /**
   * Frees the space that XFS reserves: up to 128 KiB around each shared page that is written, of
   * which it frees the unused part only after some minutes (xfs_spaceman(8)).
   */
  private void freeReserves(Path root) throws IOException, InterruptedException {
    floors.run(List.of("xfs_spaceman", "-c", "prealloc -s", root.toString()), root);
  }

  /** Returns the bytes used on a directory's file system once everything is written. */
  private long usedBytes(Path root) throws IOException, InterruptedException {
    floors.run(List.of("sync", "-f", root.toString()), root);
    FileStore store = Files.getFileStore(root);
    return store.getTotalSpace() - store.getUnallocatedSpace();
  }
}
