// SPDX-License-Identifier: Apache-2.0
package dev.ramet.bench.storage;

import dev.ramet.bench.host.Floors;
import dev.ramet.bench.host.Settings;
import dev.ramet.bench.report.Result;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Measures the storage backends without a host, in parts of about a minute each. Used by one
 * thread.
 */
public final class StorageSuite {
  private final Settings settings;
  private final Floors floors;

  public StorageSuite(Settings settings, Floors floors) {
    this.settings = settings;
    this.floors = floors;
  }

  /** Runs one part. */
  public List<Result> run(String part) throws IOException, InterruptedException {
    Pool xfs = Pool.xfs(settings);
    Pool btrfs = Pool.btrfs(settings);
    return switch (part) {
      case "storage-copies" -> {
        List<Result> results = new ArrayList<>();
        results.addAll(new StorageCopies(settings, floors, xfs).run());
        results.addAll(new StorageCopies(settings, floors, btrfs).run());
        yield results;
      }
      case "storage-threads" -> {
        List<Result> results = new ArrayList<>();
        results.addAll(new StorageThreads(settings, floors, xfs).run());
        results.addAll(new StorageThreads(settings, floors, btrfs).run());
        yield results;
      }
      case "storage-memory-xfs" -> new StorageHistory(settings, floors, xfs).memory();
      case "storage-memory-btrfs" -> new StorageHistory(settings, floors, btrfs).memory();
      case "storage-disk-xfs" -> new StorageHistory(settings, floors, xfs).disk();
      case "storage-disk-btrfs" -> new StorageHistory(settings, floors, btrfs).disk();
      case "storage-index" -> new StorageIndex(settings, floors, xfs).run();
      case "storage-bytes" -> new StorageBytes(settings, floors).run();
      default -> throw new IllegalArgumentException("no suite " + part);
    };
  }

  /** Returns the floor's command line. */
  static List<String> floor(Settings settings, Object... arguments) {
    Path program = settings.floors().resolve("storage-floor");
    List<String> command = new ArrayList<>(List.of(program.toString()));
    for (Object argument : arguments) {
      command.add(argument.toString());
    }
    return command;
  }
}
