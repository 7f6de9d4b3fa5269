// SPDX-License-Identifier: Apache-2.0
package dev.ramet.bench.memory;

import dev.ramet.api.sandbox.SandboxInfo;
import dev.ramet.bench.host.Floors;
import dev.ramet.bench.host.Guest;
import dev.ramet.bench.host.Host;
import dev.ramet.bench.host.Settings;
import dev.ramet.bench.report.Result;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Measures snapshots of a 1 GiB machine that holds much memory of its own and writes some of it:
 * the cost during the pause and afterwards. Used by one thread.
 */
public final class MemorySuite {
  static final int HELD_MB = 512;
  static final int SMALL_MB = 12;

  /** A newly started host runs unoptimized code. */
  static final int WARM_UP = 8;

  private static final int MEMORY_MB = 1024;

  private final Settings settings;
  private final Host host;
  private final Floors floors;
  private final MemoryFloors memoryFloors;
  private final List<Result> results = new ArrayList<>();

  public MemorySuite(Settings settings, Host host, Floors floors) {
    this.settings = settings;
    this.host = host;
    this.floors = floors;
    this.memoryFloors = new MemoryFloors(settings, floors);
  }

  /** Runs all parts, or the requested ones. */
  public List<Result> run() throws IOException, InterruptedException {
    host.start();
    if (settings.wants("pause")
        || settings.wants("direct")
        || settings.wants("scan")
        || settings.wants("full")) {
      host.api().buildTemplate("micro", MEMORY_MB);
      large();
    } else {
      host.api().buildTemplate("micro");
    }
    if (settings.wants("unchanged")) {
      results.add(new UnchangedMachine(settings, host, floors).measure());
    }
    if (settings.wants("slowdown")) {
      results.addAll(new Slowdown(settings, host, floors).measure());
    }
    if (settings.wants("together")) {
      results.addAll(new Together(settings, host, floors, memoryFloors).measure());
    }
    return results;
  }

  /** Runs the parts that share one large machine. */
  private void large() throws IOException, InterruptedException {
    SandboxInfo sandbox = host.api().create("micro");
    SnapshotChain chain = new SnapshotChain(host, sandbox);
    Guest guest = new Guest(settings, host, floors, sandbox);
    guest.hold(HELD_MB);
    MemoryPauses pauses = new MemoryPauses(settings, host, floors, memoryFloors, chain, guest);
    if (settings.wants("pause")) {
      pauses.withPreCopy();
    }
    if (settings.wants("direct")) {
      pauses.withoutPreCopy();
    }
    results.addAll(pauses.results());
    if (settings.wants("scan")) {
      results.addAll(new MemoryScans(settings, memoryFloors, chain, guest).measure());
    }
    if (settings.wants("full")) {
      FullCaptures full = new FullCaptures(settings, host, memoryFloors);
      results.addAll(full.ofHeld(chain));
      results.addAll(full.ofRestored());
    }
  }
}
