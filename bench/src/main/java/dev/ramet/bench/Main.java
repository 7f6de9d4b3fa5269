// SPDX-License-Identifier: Apache-2.0
package dev.ramet.bench;

import dev.ramet.bench.api.ApiSuite;
import dev.ramet.bench.host.Floors;
import dev.ramet.bench.host.Host;
import dev.ramet.bench.host.Settings;
import dev.ramet.bench.memory.MemoryHistory;
import dev.ramet.bench.memory.MemorySuite;
import dev.ramet.bench.plugins.PluginsSuite;
import dev.ramet.bench.report.Report;
import dev.ramet.bench.report.Result;
import dev.ramet.bench.snapshot.CloneSuite;
import dev.ramet.bench.snapshot.SnapshotSuite;
import dev.ramet.bench.storage.StorageSuite;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/** Runs one suite, or prints an earlier report. Called by {@code bench/run}. */
public final class Main {
  private Main() {}

  /**
   * Arguments: {@code SUITE JSON HOME JAVA FLOORS WORK CACHE full|quick PARTS}, or {@code table
   * JSON...} for Markdown.
   */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    if (arguments.length > 1 && arguments[0].equals("table")) {
      for (String file : List.of(arguments).subList(1, arguments.length)) {
        System.out.println(Report.read(Path.of(file)).markdown());
      }
      return;
    }
    if (arguments.length != 9) {
      throw new IllegalArgumentException("to be started by bench/run");
    }
    Settings settings =
        new Settings(
            Path.of(arguments[2]),
            Path.of(arguments[3]),
            Path.of(arguments[4]),
            Path.of(arguments[5]),
            Path.of(arguments[6]),
            arguments[8].isEmpty() ? Set.of() : Set.of(arguments[8].split(",", -1)),
            arguments[7].equals("quick"));
    Floors floors = new Floors(settings);
    List<Result> results =
        arguments[0].startsWith("storage-")
            ? new StorageSuite(settings, floors).run(arguments[0])
            : withHost(arguments[0], settings, floors);
    Report report = new Report(arguments[0], results);
    report.write(Path.of(arguments[1]));
    System.out.println(report.text());
  }

  private static List<Result> withHost(String suite, Settings settings, Floors floors)
      throws IOException, InterruptedException {
    try (Host host = new Host(settings)) {
      return switch (suite) {
        case "snapshot" -> new SnapshotSuite(settings, host, floors).run();
        case "memory" -> new MemorySuite(settings, host, floors).run();
        case "history-xfs", "history-btrfs" -> new MemoryHistory(settings, host, floors).run();
        case "api" -> new ApiSuite(settings, host, floors).run();
        case "plugins" -> new PluginsSuite(settings, host, floors).run();
        case "clone" -> new CloneSuite(settings, host, floors).run();
        default -> throw new IllegalArgumentException("no suite " + suite);
      };
    }
  }
}
