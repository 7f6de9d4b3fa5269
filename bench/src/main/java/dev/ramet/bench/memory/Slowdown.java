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
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Measures how much tracking slows down a guest's writes to memory: the kernel intercepts the first
 * write to each page after a capture. Used by one thread.
 */
final class Slowdown {
  private static final int WRITTEN_MB = 64;
  private static final int WARM_UP = 2;
  private static final List<String> MODES =
      List.of("full", "incremental", "soft-dirty", "write-tracking");

  private final Settings settings;
  private final Host host;
  private final Floors floors;

  Slowdown(Settings settings, Host host, Floors floors) {
    this.settings = settings;
    this.host = host;
    this.floors = floors;
  }

  List<Result> measure() throws IOException, InterruptedException {
    Progress.say("writing guests");
    SandboxInfo sandbox = host.api().create("micro");
    Guest guest = new Guest(settings, host, floors, sandbox);
    guest.hold(WRITTEN_MB);
    Samples untouched = series(sandbox, guest, null);
    List<Result> results = new ArrayList<>();
    for (String mode : MODES) {
      try {
        Samples written = series(sandbox, guest, mode);
        results.add(
            Result.of("guest writes " + WRITTEN_MB + " MiB after a capture, " + mode, "ms", written)
                .over(untouched)
                .note("floor: the same without a capture"));
      } catch (IOException e) {
        // Modes that this host's kernel does not support are not measured.
        Progress.say("without mode " + mode + ": " + e.getMessage());
      }
    }
    host.api().kill(sandbox.sandboxID());
    return results;
  }

  private Samples series(SandboxInfo sandbox, Guest guest, @Nullable String mode)
      throws IOException, InterruptedException {
    Samples took = new Samples();
    @Nullable String previous = null;
    for (int i = 0; i < WARM_UP + settings.times(12, 4); i++) {
      if (mode != null) {
        SnapshotInfo snapshot = host.api().snapshot(sandbox.sandboxID(), mode);
        if (previous != null) {
          host.api().deleteSnapshot(previous);
        }
        previous = snapshot.snapshotID();
      }
      double ms =
          guest.run(
              "dd if=/dev/zero of=/m/held bs=1M count=" + WRITTEN_MB + " conv=notrunc 2>/dev/null");
      if (i >= WARM_UP) {
        took.add(ms);
      }
    }
    if (previous != null) {
      host.api().deleteSnapshot(previous);
    }
    return took;
  }
}
