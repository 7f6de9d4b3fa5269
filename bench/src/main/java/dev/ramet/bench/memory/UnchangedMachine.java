// SPDX-License-Identifier: Apache-2.0
package dev.ramet.bench.memory;

import dev.ramet.api.sandbox.SandboxInfo;
import dev.ramet.api.snapshot.SnapshotInfo;
import dev.ramet.bench.host.Floors;
import dev.ramet.bench.host.Guest;
import dev.ramet.bench.host.Host;
import dev.ramet.bench.host.Settings;
import dev.ramet.bench.report.Progress;
import dev.ramet.bench.report.Result;
import dev.ramet.bench.report.Samples;
import java.io.IOException;

/** Measures conditional snapshots of an idle machine: taken only if something changed. */
final class UnchangedMachine {
  /** The number of calls before a short call runs compiled code. */
  private static final int QUICK_WARM_UP = 1000;

  /** How long a guest takes to halt. */
  private static final int HALT_MILLIS = 4000;

  private static final int MAX_CHANGES = 10;

  private final Settings settings;
  private final Host host;
  private final Floors floors;

  UnchangedMachine(Settings settings, Host host, Floors floors) {
    this.settings = settings;
    this.host = host;
    this.floors = floors;
  }

  /** Repeatedly requests a snapshot of a halted machine. */
  Result measure() throws IOException, InterruptedException {
    Progress.say("a machine that does nothing");
    SandboxInfo sandbox = host.api().create("micro");
    new Guest(settings, host, floors, sandbox)
        .run("(sleep 1; halt -f) >/dev/null 2>&1 </dev/null &");
    Thread.sleep(HALT_MILLIS);
    String last = host.api().snapshot(sandbox.sandboxID()).snapshotID();
    int changes = 0;
    Samples took = new Samples();
    for (int i = 0; i < QUICK_WARM_UP + settings.times(100, 10); i++) {
      long begin = System.nanoTime();
      SnapshotInfo same = host.api().snapshotIfChanged(sandbox.sandboxID());
      double ms = Host.millisSince(begin);
      if (!last.equals(same.snapshotID())) {
        // A packet from the network also changes the memory of a halted machine.
        last = same.snapshotID();
        changes++;
      } else if (i >= QUICK_WARM_UP) {
        took.add(ms);
      }
    }
    if (changes > MAX_CHANGES) {
      throw new IOException("a machine that halted has changed " + changes + " times");
    }
    host.api().kill(sandbox.sandboxID());
    return Result.of("snapshot if changed, nothing changed", "ms", took)
        .atMost(5)
        .note("through the API; no pause; after a thousand such calls");
  }
}
