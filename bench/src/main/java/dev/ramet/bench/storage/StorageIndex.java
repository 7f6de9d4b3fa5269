// SPDX-License-Identifier: Apache-2.0
package dev.ramet.bench.storage;

import dev.ramet.backends.reflinkxfs.ReflinkXfsProvider;
import dev.ramet.bench.host.Floors;
import dev.ramet.bench.host.Host;
import dev.ramet.bench.host.Settings;
import dev.ramet.bench.report.Result;
import dev.ramet.bench.report.Samples;
import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Measures a root with many snapshots: opening it in a new process, and listing it. Used by one
 * thread.
 */
final class StorageIndex {
  private static final int SNAPSHOTS = 100_000;
  private static final int PAGE = 100;
  private static final int PAGES = 2;
  private static final double REBUILD_RATIO = 2;
  private static final double PAGE_MS = 5;
  private static final NodeId V = NodeId.of("v");

  private final Settings settings;
  private final Floors floors;
  private final Pool pool;

  StorageIndex(Settings settings, Floors floors, Pool pool) {
    this.settings = settings;
    this.floors = floors;
    this.pool = pool;
  }

  List<Result> run() throws IOException, InterruptedException {
    Path root = pool.directory("index");
    try (StorageBackend backend = pool.provider().open(new ProbeContext(root))) {
      backend.create(V, Pool.PAGE);
    }
    int count = settings.times(SNAPSHOTS, SNAPSHOTS / 10);
    Path tree = root.resolve("volumes");
    floors.run(StorageSuite.floor(settings, "tree", tree.resolve("v"), count), root);
    Samples find = new Samples();
    List<Samples> opening = new ArrayList<>();
    Samples atOnce = new Samples();
    for (int round = 0; round <= settings.times(15, 4); round++) {
      double least = floors.time(List.of("find", tree.toString()), Map.of());
      List<String> lines = open(root, false);
      double page = Double.parseDouble(open(root, true).get(1));
      if (round > 0) {
        find.add(least);
        atOnce.add(page);
        for (int i = 0; i < lines.size(); i++) {
          if (opening.size() == i) {
            opening.add(new Samples());
          }
          opening.get(i).add(Double.parseDouble(lines.get(i)));
        }
      }
    }
    String size = count / 1000 + " 000 snapshots";
    return List.of(
        Result.of("index of " + size + ", process just started", "ms", opening.get(0))
            .over(find)
            .ratioAtMost(REBUILD_RATIO)
            .note("floor: find over the same tree"),
        Result.of("first page of 100, half a second later", "ms", opening.get(1)).atMost(PAGE_MS),
        Result.of("second page", "ms", opening.get(2)).atMost(PAGE_MS),
        Result.of("first page of 100, asked at once", "ms", atOnce)
            .note("while the names are still put in order"),
        Result.of("index again in the same process", "ms", opening.get(3)).over(find));
  }

  private List<String> open(Path root, boolean askAtOnce) throws IOException, InterruptedException {
    return floors.run(
        List.of(
            settings.java().toString(),
            "-XX:+UseSerialGC",
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            System.getProperty("java.class.path"),
            StorageIndex.class.getName(),
            root.toString(),
            Boolean.toString(askAtOnce)),
        root);
  }

  /**
   * Opens a root in a separate process and prints milliseconds, one line each: for opening it, for
   * pages, and for opening it again when everything is cached.
   *
   * @param arguments the root, and whether to request the first page at once
   */
  public static void main(String[] arguments) throws InterruptedException {
    ProbeContext where = new ProbeContext(Path.of(arguments[0]));
    // Loads the native library, which a host has done long before it opens a root.
    var provider = new ReflinkXfsProvider();
    provider.probe(new ProbeContext(where.root().resolve("volumes")));
    double last = 0;
    for (int round = 0; round < 4; round++) {
      if (round > 0) {
        Thread.sleep(300); // The names of the previous round are sorted meanwhile.
      }
      long begin = System.nanoTime();
      try (StorageBackend backend = provider.open(where)) {
        last = Host.millisSince(begin);
        if (round == 0) {
          System.out.println(last);
          if (!Boolean.parseBoolean(arguments[1])) {
            Thread.sleep(500);
          }
          @Nullable NodeId after = null;
          for (int i = 0; i < PAGES; i++) {
            begin = System.nanoTime();
            List<Node> page = backend.page(after, PAGE);
            System.out.println(Host.millisSince(begin));
            after = page.get(PAGE - 1).id();
          }
        }
      }
    }
    System.out.println(last);
  }
}
