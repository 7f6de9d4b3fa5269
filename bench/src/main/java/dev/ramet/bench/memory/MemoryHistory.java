// SPDX-License-Identifier: Apache-2.0
package dev.ramet.bench.memory;

import dev.ramet.api.sandbox.SandboxInfo;
import dev.ramet.api.snapshot.CaptureInfo;
import dev.ramet.bench.host.Floors;
import dev.ramet.bench.host.Guest;
import dev.ramet.bench.host.Host;
import dev.ramet.bench.host.Settings;
import dev.ramet.bench.report.Progress;
import dev.ramet.bench.report.Result;
import dev.ramet.bench.report.Samples;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.ToDoubleFunction;

/**
 * Takes a series of snapshots of a machine that changes scattered pages, and keeps them all, to see
 * whether late ones pause the machine longer than early ones. Used by one thread.
 */
public final class MemoryHistory {
  private static final int MEMORY_MB = 1024;
  private static final int HELD_MB = 512;

  /** 8 MiB between two snapshots. */
  private static final int PAGES = 2048;

  private static final int WARM_UP = 10;

  /** The number of first and last captures that are compared. */
  private static final int LOOK = 10;

  private final Settings settings;
  private final Host host;
  private final Floors floors;
  private int seed;

  public MemoryHistory(Settings settings, Host host, Floors floors) {
    this.settings = settings;
    this.host = host;
    this.floors = floors;
  }

  public List<Result> run() throws IOException, InterruptedException {
    host.start();
    host.api().buildTemplate("micro", MEMORY_MB);
    Progress.say("a host that has run for a while");
    SandboxInfo first = machine();
    take(first, WARM_UP);
    host.api().kill(first.sandboxID());

    int generations = settings.times(100, 30);
    SandboxInfo sandbox = machine();
    Progress.say(generations + " snapshots");
    List<CaptureInfo> all = take(sandbox, generations);
    List<CaptureInfo> early = all.subList(0, LOOK);
    List<CaptureInfo> late = all.subList(generations - LOOK, generations);
    String which = "generations " + (generations - LOOK + 1) + " to " + generations;
    String mode = all.get(generations - 1).mode();
    List<Result> results = new ArrayList<>();
    results.add(
        Result.of("pause, " + which, "ms", of(late, CaptureInfo::pauseMs))
            .over(of(early, CaptureInfo::pauseMs))
            .ratioAtMost(1.2)
            .note("mode " + mode + "; floor: generations 1 to " + LOOK));
    results.add(
        Result.of("snapshot, " + which, "ms", of(late, CaptureInfo::totalMs))
            .over(of(early, CaptureInfo::totalMs))
            .note("until durable; floor: generations 1 to " + LOOK));
    for (String phase : late.get(0).phasesMs().keySet()) {
      ToDoubleFunction<CaptureInfo> took = one -> one.phasesMs().getOrDefault(phase, 0.0);
      results.add(Result.of("of it " + phase, "ms", of(late, took)).over(of(early, took)));
    }
    return results;
  }

  private SandboxInfo machine() throws IOException, InterruptedException {
    SandboxInfo sandbox = host.api().create("micro");
    Guest guest = new Guest(settings, host, floors, sandbox);
    guest.hold(HELD_MB);
    guest.put(floors.program("scatter"), "/m/scatter");
    return sandbox;
  }

  private List<CaptureInfo> take(SandboxInfo sandbox, int count)
      throws IOException, InterruptedException {
    Guest guest = new Guest(settings, host, floors, sandbox);
    List<CaptureInfo> captures = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      guest.run("/m/scatter /m/held " + PAGES + " " + ++seed);
      captures.add(Objects.requireNonNull(host.api().snapshot(sandbox.sandboxID()).capture()));
    }
    return captures;
  }

  private static Samples of(List<CaptureInfo> captures, ToDoubleFunction<CaptureInfo> what) {
    Samples samples = new Samples();
    captures.forEach(capture -> samples.add(what.applyAsDouble(capture)));
    return samples;
  }
}
