// SPDX-License-Identifier: Apache-2.0
package dev.ramet.bench.memory;

import dev.ramet.api.snapshot.CaptureInfo;
import dev.ramet.bench.host.Guest;
import dev.ramet.bench.host.Machine;
import dev.ramet.bench.host.Settings;
import dev.ramet.bench.report.Progress;
import dev.ramet.bench.report.Result;
import dev.ramet.bench.report.Samples;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Measures how long it takes to find the pages that a snapshot needs. */
final class MemoryScans {
  private static final String INCREMENTAL = "incremental";

  private final Settings settings;
  private final MemoryFloors memoryFloors;
  private final SnapshotChain chain;
  private final Guest guest;

  MemoryScans(Settings settings, MemoryFloors memoryFloors, SnapshotChain chain, Guest guest) {
    this.settings = settings;
    this.memoryFloors = memoryFloors;
    this.chain = chain;
    this.guest = guest;
  }

  List<Result> measure() throws IOException, InterruptedException {
    Progress.say("finding pages");
    List<Result> results = new ArrayList<>();
    Machine machine = Machine.of(chain.sandbox());
    Samples tracking = new Samples();
    String mode = "";
    MemoryFloors.Scans least = new MemoryFloors.Scans();
    for (int i = 0; i < MemorySuite.WARM_UP + settings.times(12, 4); i++) {
      guest.write(MemorySuite.SMALL_MB);
      if (i >= MemorySuite.WARM_UP) {
        memoryFloors.scan(machine, least);
      }
      CaptureInfo capture = chain.capture(null);
      mode = capture.mode();
      if (i >= MemorySuite.WARM_UP) {
        tracking.add(capture.phasesMs().getOrDefault("select", 0.0));
      }
    }
    String held =
        " of about " + MemorySuite.HELD_MB + " MiB held, " + MemorySuite.SMALL_MB + " MiB written";
    Result selection = Result.of("select, " + mode, "ms", tracking);
    if (least.written().count() > 0) {
      results.add(
          selection
              .over(least.written())
              .ratioAtMost(1.2)
              .note(held.strip() + "; floor: PAGEMAP_SCAN in C"));
      results.add(Result.times("reading the page table over that", least.table(), tracking, 3));
    } else {
      results.add(selection.over(least.table()).ratioAtMost(1.2).note("floor: pagemap in C"));
    }
    Samples incremental = new Samples();
    MemoryFloors.Scans table = new MemoryFloors.Scans();
    for (int i = 0; i < 1 + settings.times(10, 3); i++) {
      if (i > 0) {
        memoryFloors.scanTable(machine, table);
      }
      CaptureInfo capture = chain.capture(INCREMENTAL);
      if (i > 0) {
        incremental.add(capture.phasesMs().getOrDefault("select", 0.0));
      }
    }
    results.add(
        Result.of("select, " + INCREMENTAL, "ms", incremental)
            .over(table.table())
            .ratioAtMost(1.2)
            .note("floor: pagemap in C"));
    return results;
  }
}
