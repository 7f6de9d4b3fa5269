// SPDX-License-Identifier: Apache-2.0
package dev.ramet.bench.storage;

import dev.ramet.backends.bytecopy.ByteCopyProvider;
import dev.ramet.bench.host.Floors;
import dev.ramet.bench.host.Host;
import dev.ramet.bench.host.Settings;
import dev.ramet.bench.report.Result;
import dev.ramet.bench.report.Samples;
import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Measures copies of bytes on the file system of the temporary directory. Used by one thread. */
final class StorageBytes {
  private static final long SIZE = 1L << 30;
  private static final long DATA = 256L << 20;

  /** 0.9 of cp's rate. */
  private static final double RATIO = 1.11;

  private static final NodeId V = NodeId.of("v");
  private static final NodeId S = NodeId.of("s");

  private final Settings settings;
  private final Floors floors;

  StorageBytes(Settings settings, Floors floors) {
    this.settings = settings;
    this.floors = floors;
  }

  List<Result> run() throws IOException, InterruptedException {
    Path root = Files.createDirectories(settings.work().resolve("bytes"));
    try (StorageBackend backend = new ByteCopyProvider().open(new ProbeContext(root))) {
      backend.create(V, SIZE);
      Pool.fill(backend, V, DATA);
      Path source = backend.attach(V).path();
      Path target = root.resolve("copy");
      Samples ours = new Samples();
      Samples program = new Samples();
      for (int round = 0; round <= settings.times(15, 4); round++) {
        // Alternates between both, each time after the other one's data is on the disk.
        floors.run(List.of("sync", "-f", root.toString()), root);
        long begin = System.nanoTime();
        backend.snapshot(V, S, Durability.RELAXED);
        double took = Host.millisSince(begin);
        backend.delete(S);
        floors.run(List.of("sync", "-f", root.toString()), root);
        double floor =
            floors.time(
                List.of("cp", "--sparse=always", source.toString(), target.toString()), Map.of());
        Files.delete(target);
        if (round > 0) {
          ours.add(took);
          program.add(floor);
        }
      }
      return List.of(
          Result.of("byte copy of 256 MiB", "ms", ours)
              .over(program)
              .ratioAtMost(RATIO)
              .note("floor: cp --sparse=always"));
    }
  }
}
