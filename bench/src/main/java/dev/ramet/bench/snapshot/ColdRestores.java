// SPDX-License-Identifier: Apache-2.0
package dev.ramet.bench.snapshot;

import dev.ramet.api.sandbox.SandboxInfo;
import dev.ramet.api.snapshot.SnapshotInfo;
import dev.ramet.bench.host.Api;
import dev.ramet.bench.host.Floors;
import dev.ramet.bench.host.Guest;
import dev.ramet.bench.host.Host;
import dev.ramet.bench.host.Machine;
import dev.ramet.bench.host.Settings;
import dev.ramet.bench.report.Result;
import dev.ramet.bench.report.Samples;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;

/**
 * Measures restores of a snapshot whose memory image is not in the page cache, alternately with and
 * without prefetching of its working set. The other files that a restore reads stay cached. Used by
 * one thread.
 */
final class ColdRestores {
  private static final int RECORD_TRIES = 200;
  private static final int RECORD_POLL_MILLIS = 50;

  /** Runs programs whose pages are in the guest's page cache, as a typical first command would. */
  private static final String COMMAND =
      "sha256sum /bin/busybox >/dev/null && ls -R /etc >/dev/null";

  private final Settings settings;
  private final Host host;
  private final Floors floors;

  ColdRestores(Settings settings, Host host, Floors floors) {
    this.settings = settings;
    this.host = host;
    this.floors = floors;
  }

  /** The durations of one kind of restore. */
  private record Taken(Samples restore, Samples command) {
    Taken() {
      this(new Samples(), new Samples());
    }
  }

  /** Measures restores of a snapshot of this sandbox. */
  List<Result> measure(SandboxInfo sandbox) throws IOException, InterruptedException {
    Api api = host.api();
    SnapshotInfo snapshot = api.snapshot(sandbox.sandboxID());
    Path directory = Machine.of(sandbox).root().resolve("snapshots").resolve(snapshot.snapshotID());
    Path set = directory.resolve("working-set");
    // The working set inherited from the template is not the one to measure.
    Files.deleteIfExists(set);
    SandboxInfo first = api.create(snapshot.snapshotID());
    Machine machine = Machine.of(first);
    Path commandLine = machine.scratch().resolve("command-line");
    Files.write(
        commandLine, Files.readAllBytes(Path.of("/proc", Long.toString(machine.pid()), "cmdline")));
    new Guest(settings, host, floors, first).run(COMMAND);
    awaitFile(set);
    // The machine's files stay for the floor, but nothing maps the image any more.
    end(machine.pid());

    Path aside = machine.scratch().resolve("working-set");
    Taken with = new Taken();
    Taken without = new Taken();
    Samples again = new Samples();
    Samples floor = new Samples();
    int warmUp = settings.times(5, 2);
    for (int i = 0; i < warmUp + settings.times(20, 5); i++) {
      dropFromCache(machine.image());
      Machine.Saved saved = machine.saved(snapshot.snapshotID());
      floor.addAll(floors.restores(commandLine.toString(), machine, saved, 1, 1).each());
      Files.move(set, aside, StandardCopyOption.ATOMIC_MOVE);
      restore(snapshot, machine.image(), without, again);
      Files.deleteIfExists(set); // in case the restore took so long that it was recorded again
      Files.move(aside, set, StandardCopyOption.ATOMIC_MOVE);
      restore(snapshot, machine.image(), with, again);
    }
    api.kill(first.sandboxID());
    Samples least = floor.after(warmUp);
    Samples leastCommand = again.after(2 * warmUp);
    return List.of(
        Result.of("restore, cold cache", "ms", with.restore.after(warmUp))
            .over(least)
            .note("floor: a bare restore, as cold, without prefetching"),
        Result.of("restore, cold cache, no prefetch", "ms", without.restore.after(warmUp))
            .over(least),
        Result.of("first command, cold cache", "ms", with.command.after(warmUp))
            .over(leastCommand)
            .note("floor: the same command again"),
        Result.of("first command, cold cache, no prefetch", "ms", without.command.after(warmUp))
            .over(leastCommand));
  }

  private void restore(SnapshotInfo snapshot, Path image, Taken into, Samples again)
      throws IOException, InterruptedException {
    dropFromCache(image);
    long begin = System.nanoTime();
    SandboxInfo made = host.api().create(snapshot.snapshotID());
    into.restore.add(Host.millisSince(begin));
    Guest guest = new Guest(settings, host, floors, made);
    into.command.add(guest.run(COMMAND));
    again.add(guest.run(COMMAND));
    host.api().kill(made.sandboxID());
  }

  private static void end(long pid) {
    ProcessHandle.of(pid)
        .ifPresent(
            process -> {
              process.destroyForcibly();
              process.onExit().join();
            });
  }

  private static void awaitFile(Path file) throws IOException, InterruptedException {
    for (int i = 0; i < RECORD_TRIES; i++) {
      if (Files.exists(file)) {
        return;
      }
      Thread.sleep(RECORD_POLL_MILLIS);
    }
    throw new IOException("no working set was recorded: " + file);
  }

  /** Drops only this file's pages. No process may have it mapped, or they would stay. */
  private void dropFromCache(Path image) throws IOException, InterruptedException {
    floors.time(List.of("sync", image.toString()), Map.of());
    floors.time(List.of("dd", "if=" + image, "iflag=nocache", "count=0", "status=none"), Map.of());
    List<String> left =
        floors.run(
            List.of("fincore", "--bytes", "--noheadings", "--output", "RES", image.toString()),
            settings.work());
    String bytes = left.get(0).strip();
    if (!bytes.equals("0")) {
      throw new IOException(bytes + " bytes of " + image + " stay in the page cache");
    }
  }
}
