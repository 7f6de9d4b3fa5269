// SPDX-License-Identifier: Apache-2.0
package dev.ramet.bench.snapshot;

import dev.ramet.api.sandbox.SandboxInfo;
import dev.ramet.api.snapshot.CaptureInfo;
import dev.ramet.api.snapshot.SnapshotInfo;
import dev.ramet.bench.host.Api;
import dev.ramet.bench.host.CommandLine;
import dev.ramet.bench.host.Floors;
import dev.ramet.bench.host.Host;
import dev.ramet.bench.host.Machine;
import dev.ramet.bench.host.Settings;
import dev.ramet.bench.report.Progress;
import dev.ramet.bench.report.Result;
import dev.ramet.bench.report.Samples;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Measures one nearly idle sandbox: the pause for a snapshot, the time to restore, and the cost of
 * the host itself. Used by one thread.
 */
public final class SnapshotSuite {
  /** A newly started host runs unoptimized code, and so does a floor's first round. */
  private static final int WARM_UP = 30;

  private static final int WARM_UP_FLOOR = 3;

  /**
   * Few, because these snapshots follow the others: only a tracker's first capture still differs
   * from the rest.
   */
  private static final int WARM_UP_TRACKING = 5;

  /**
   * Lets the machine run between snapshots as long as it does for the floor, and the kernel finish
   * the deletion of the previous snapshot.
   */
  private static final long REST_MILLIS = 20;

  private static final String INCREMENTAL = "incremental";
  private static final int EACH_ROUND = 10;
  private static final double PAUSE_RATIO = 1.5;
  private static final double RESTORE_RATIO = 1.3;
  private static final double FIRST_ANSWER_MS = 1500;
  private static final double RESIDENT_MIB = 160;

  private final Settings settings;
  private final Host host;
  private final Floors floors;
  private final List<CaptureInfo> captures = new ArrayList<>();
  private final List<CaptureInfo> tracked = new ArrayList<>();
  private final List<Host.Start> starts = new ArrayList<>();
  private final Floors.Pauses pauseFloor = new Floors.Pauses();
  private final Samples jvmFloor = new Samples();

  public SnapshotSuite(Settings settings, Host host, Floors floors) {
    this.settings = settings;
    this.host = host;
    this.floors = floors;
  }

  /** Runs all parts, or the requested ones. */
  public List<Result> run() throws IOException, InterruptedException {
    host.start("ramet.exchange-directories=" + Exports.directory(settings));
    host.api().buildTemplate("micro");
    List<Result> results = new ArrayList<>();
    if (settings.wants("export")) {
      Progress.say("exports");
      SandboxInfo exported = host.api().create("micro");
      results.add(new Exports(settings, host, floors).measure(exported));
      host.api().kill(exported.sandboxID());
    }
    if (settings.wants("warm")) {
      results.addAll(warm(host.api().create("micro")));
    }
    if (settings.wants("cold")) {
      Progress.say("restores with a cold page cache");
      // The first sandbox's machine was replaced by rollbacks.
      SandboxInfo another = host.api().create("micro");
      results.addAll(new ColdRestores(settings, host, floors).measure(another));
    }
    return results;
  }

  private List<Result> warm(SandboxInfo sandbox) throws IOException, InterruptedException {
    Progress.say("pauses, and starts of the host");
    for (int round = 0; round < settings.times(10, 2); round++) {
      snapshots(sandbox);
      trackedSnapshots(sandbox);
      // QEMU's monitor serves one client: to measure the floor on the same machine, the host stops.
      host.stop();
      Machine machine = Machine.of(sandbox);
      floors.pauses(machine, WARM_UP_FLOOR, EACH_ROUND, pauseFloor);
      jvmFloor.add(floors.emptyJvm("-XX:+UseSerialGC", "-Xshare:auto"));
      starts.add(host.start());
    }
    List<Result> results = new ArrayList<>(pauseResults("", captures));
    if (!tracked.isEmpty()) {
      results.addAll(pauseResults("tracked ", tracked));
    }
    Progress.say("restores and rollbacks");
    results.addAll(restores(sandbox));
    results.add(memoryWritten("", captures));
    if (!tracked.isEmpty()) {
      results.add(memoryWritten("tracked ", tracked));
    }
    results.addAll(startResults());
    Progress.say("commands");
    results.add(new CommandLine(settings, host, floors).measure());
    return results;
  }

  private void snapshots(SandboxInfo sandbox) throws IOException, InterruptedException {
    Api api = host.api();
    for (int i = 0; i < WARM_UP + EACH_ROUND; i++) {
      Thread.sleep(REST_MILLIS);
      SnapshotInfo snapshot = api.snapshot(sandbox.sandboxID(), INCREMENTAL);
      if (i >= WARM_UP) {
        captures.add(Objects.requireNonNull(snapshot.capture()));
      }
      api.deleteSnapshot(snapshot.snapshotID());
    }
  }

  /** Takes snapshots that each build on the previous one, if the host supports that. */
  private void trackedSnapshots(SandboxInfo sandbox) throws IOException, InterruptedException {
    Api api = host.api();
    String previous = null;
    for (int i = 0; i < WARM_UP_TRACKING + EACH_ROUND; i++) {
      Thread.sleep(REST_MILLIS);
      SnapshotInfo snapshot = api.snapshot(sandbox.sandboxID());
      CaptureInfo capture = Objects.requireNonNull(snapshot.capture());
      if (i >= WARM_UP_TRACKING && !capture.mode().equals(INCREMENTAL)) {
        tracked.add(capture);
      }
      if (previous != null) {
        api.deleteSnapshot(previous);
      }
      previous = snapshot.snapshotID();
    }
    if (previous != null) {
      api.deleteSnapshot(previous);
    }
  }

  private List<Result> pauseResults(String prefix, List<CaptureInfo> captures) {
    Samples pause = new Samples();
    Samples total = new Samples();
    Map<String, Samples> phases = new LinkedHashMap<>();
    for (CaptureInfo capture : captures) {
      pause.add(capture.pauseMs());
      total.add(capture.totalMs());
      capture
          .phasesMs()
          .forEach((name, ms) -> phases.computeIfAbsent(name, n -> new Samples()).add(ms));
    }
    List<Result> results = new ArrayList<>();
    results.add(
        Result.of(prefix + "pause", "ms", pause)
            .over(pauseFloor.all())
            .ratioAtMost(PAUSE_RATIO)
            .note("mode " + captures.get(0).mode()));
    results.add(Result.of(prefix + "snapshot total", "ms", total));
    phases.forEach(
        (name, ms) -> {
          Result phase = Result.of(prefix + "snapshot phase " + name, "ms", ms);
          // The other phases overlap: the devices are saved from the stop on, in parallel with all
          // that follows.
          Samples floor = name.equals("resume") ? pauseFloor.phases().get(name) : null;
          results.add(floor == null ? phase : phase.over(floor));
        });
    return results;
  }

  private List<Result> restores(SandboxInfo sandbox) throws IOException, InterruptedException {
    Api api = host.api();
    SnapshotInfo snapshot = api.snapshot(sandbox.sandboxID());
    Machine machine = Machine.of(api.create(snapshot.snapshotID()));
    Machine.Saved saved = machine.saved(snapshot.snapshotID());
    Samples restore = new Samples();
    Samples rollback = new Samples();
    Samples floor = new Samples();
    int warmUp = settings.times(5, 2);
    for (int i = 0; i < warmUp + settings.times(20, 5); i++) {
      floor.addAll(floors.restores(machine, saved, 1, 1).each());
      long begin = System.nanoTime();
      SandboxInfo made = api.create(snapshot.snapshotID());
      restore.add(Host.millisSince(begin));
      api.kill(made.sandboxID());
      begin = System.nanoTime();
      api.rollback(sandbox.sandboxID(), snapshot.snapshotID());
      rollback.add(Host.millisSince(begin));
    }
    Samples least = floor.after(warmUp);
    return List.of(
        Result.of("restore", "ms", restore.after(warmUp)).over(least).ratioAtMost(RESTORE_RATIO),
        Result.of("rollback", "ms", rollback.after(warmUp)).over(least));
  }

  private static Result memoryWritten(String prefix, List<CaptureInfo> captures) {
    Samples written = new Samples();
    Samples changed = new Samples();
    for (CaptureInfo capture : captures) {
      written.add(capture.memoryBytesWritten() / 1024.0);
      changed.add((capture.memoryBytesSelected() - capture.memoryBytesHoles()) / 1024.0);
    }
    return Result.of(prefix + "memory written", "KiB", written)
        .over(changed)
        .ratioAtMost(1)
        .note("floor: changed pages that are not zero");
  }

  private List<Result> startResults() {
    Samples first = new Samples();
    Samples ready = new Samples();
    Samples resident = new Samples();
    for (Host.Start start : starts) {
      first.add(start.firstAnswerMs());
      ready.add(start.readyMs());
      resident.add(start.residentMib());
    }
    return List.of(
        Result.of("server first 200", "ms", first)
            .over(jvmFloor)
            .atMost(FIRST_ANSWER_MS)
            .note("floor: an empty main"),
        Result.of("server ready", "ms", ready).note("with one sandbox found again"),
        Result.of("server resident", "MiB", resident).atMost(RESIDENT_MIB));
  }
}
