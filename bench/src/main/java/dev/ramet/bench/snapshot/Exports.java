// SPDX-License-Identifier: Apache-2.0
package dev.ramet.bench.snapshot;

import dev.ramet.api.sandbox.SandboxInfo;
import dev.ramet.api.snapshot.SnapshotInfo;
import dev.ramet.bench.host.Api;
import dev.ramet.bench.host.Floors;
import dev.ramet.bench.host.Guest;
import dev.ramet.bench.host.Host;
import dev.ramet.bench.host.Settings;
import dev.ramet.bench.report.Result;
import dev.ramet.bench.report.Samples;
import dev.ramet.files.FileTrees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Measures the export of an increment beside the full export of the same snapshot, which has a disk
 * of 1 GiB and memory of 256 MiB, mostly holes. Used by one thread.
 */
final class Exports {
  private static final double RATIO = 0.3;

  private final Settings settings;
  private final Host host;
  private final Floors floors;
  private final Path directory;

  Exports(Settings settings, Host host, Floors floors) {
    this.settings = settings;
    this.host = host;
    this.floors = floors;
    this.directory = directory(settings);
  }

  /** Returns the directory of the exports, in which the host must be allowed to write. */
  static Path directory(Settings settings) {
    return settings.work().resolve("exports");
  }

  Result measure(SandboxInfo sandbox) throws IOException, InterruptedException {
    Files.createDirectories(directory);
    Api api = host.api();
    SnapshotInfo base = api.snapshot(sandbox.sandboxID());
    new Guest(settings, host, floors, sandbox)
        .run("dd if=/dev/urandom of=/root/changed bs=64k count=16 2>/dev/null; sync");
    SnapshotInfo snapshot = api.snapshot(sandbox.sandboxID());
    Samples increments = new Samples();
    Samples whole = new Samples();
    for (int i = 0; i <= settings.times(10, 2); i++) {
      double floor = export(snapshot.snapshotID(), null);
      double took = export(snapshot.snapshotID(), base.snapshotID());
      if (i > 0) {
        whole.add(floor);
        increments.add(took);
      }
    }
    return Result.of("export of an increment", "ms", increments)
        .over(whole)
        .ratioAtMost(RATIO)
        .note("floor: a full export of the same snapshot");
  }

  private double export(String snapshot, @Nullable String since) throws IOException {
    Path target = directory.resolve("export");
    long begin = System.nanoTime();
    host.api().export(snapshot, since, target);
    double took = Host.millisSince(begin);
    FileTrees.delete(target);
    return took;
  }
}
