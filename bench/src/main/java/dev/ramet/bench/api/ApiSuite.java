// SPDX-License-Identifier: Apache-2.0
package dev.ramet.bench.api;

import dev.ramet.api.sandbox.SandboxInfo;
import dev.ramet.api.snapshot.SnapshotInfo;
import dev.ramet.bench.host.Api;
import dev.ramet.bench.host.Floors;
import dev.ramet.bench.host.Host;
import dev.ramet.bench.host.Settings;
import dev.ramet.bench.report.Progress;
import dev.ramet.bench.report.Result;
import dev.ramet.bench.report.Samples;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Measures the time clients spend outside the engine: calls, lists, and traffic to guests. Used by
 * one thread.
 */
public final class ApiSuite {
  private static final double OVERHEAD_MS = 5;
  private static final double LIST_MS = 20;

  private final Settings settings;
  private final Host host;
  private final Floors floors;

  public ApiSuite(Settings settings, Host host, Floors floors) {
    this.settings = settings;
    this.host = host;
    this.floors = floors;
  }

  public List<Result> run() throws IOException, InterruptedException {
    host.start();
    // Enough for the files of the transfers to fit into memory twice.
    host.api().buildTemplate("micro", 1024);
    List<Result> results = new ArrayList<>();
    if (settings.wants("calls")) {
      Progress.say("calls");
      results.addAll(calls());
    }
    if (settings.wants("guests")) {
      results.addAll(new GuestTraffic(settings, host, floors).run());
    }
    if (settings.wants("list")) {
      results.addAll(lists());
    }
    return results;
  }

  /** An API call, whose duration is split into the engine's part and the rest. */
  private interface Call {
    void make() throws IOException;
  }

  private final class Overhead {
    private final String kind;
    private final Samples whole = new Samples();
    private final Samples beside = new Samples();

    Overhead(String kind) {
      this.kind = kind;
    }

    void measure(Call call) throws IOException {
      double before = host.api().operationSeconds(kind);
      long begin = System.nanoTime();
      call.make();
      double took = Host.millisSince(begin);
      whole.add(took);
      beside.add(took - (host.api().operationSeconds(kind) - before) * 1000);
    }

    Result result(int warmUp) {
      return Result.of("beside the engine: " + kind, "ms", beside.after(warmUp))
          .atMost(OVERHEAD_MS)
          .note("of " + Math.round(whole.after(warmUp).p50()) + " ms in all");
    }
  }

  private List<Result> calls() throws IOException {
    Api api = host.api();
    SandboxInfo sandbox = api.create("micro");
    SnapshotInfo base = api.snapshot(sandbox.sandboxID());
    List<Overhead> all =
        List.of(
            new Overhead("sandbox.create"),
            new Overhead("snapshot.create"),
            new Overhead("sandbox.rollback"),
            new Overhead("snapshot.fork"),
            new Overhead("sandbox.kill"));
    int warmUp = settings.times(10, 2);
    for (int i = 0; i < warmUp + settings.times(50, 5); i++) {
      List<String> made = new ArrayList<>();
      all.get(0).measure(() -> made.add(api.create("micro").sandboxID()));
      all.get(1).measure(() -> made.add(api.snapshot(sandbox.sandboxID()).snapshotID()));
      all.get(2).measure(() -> api.rollback(sandbox.sandboxID(), base.snapshotID()));
      all.get(3).measure(() -> made.add(api.fork(base.snapshotID())));
      all.get(4).measure(() -> api.kill(made.get(0)));
      api.kill(made.get(2));
      api.deleteSnapshot(made.get(1));
    }
    api.kill(sandbox.sandboxID());
    return all.stream().map(overhead -> overhead.result(warmUp)).toList();
  }

  /** Lists many sandboxes. They are paused, so each has a record and a disk, and no machine. */
  private List<Result> lists() throws IOException {
    Api api = host.api();
    int many = settings.times(1000, 50);
    for (int i = 0; i < many; i++) {
      if (i % 100 == 0) {
        Progress.say("sandboxes on record: " + i + " of " + many);
      }
      api.pauseDisk(api.create("micro").sandboxID());
    }
    Samples page = new Samples();
    Samples all = new Samples();
    int warmUp = settings.times(20, 5);
    for (int i = 0; i < warmUp + settings.times(100, 20); i++) {
      long begin = System.nanoTime();
      api.page();
      page.add(Host.millisSince(begin));
      begin = System.nanoTime();
      api.sandboxes();
      all.add(Host.millisSince(begin));
    }
    return List.of(
        Result.of("GET /v2/sandboxes", "ms", page.after(warmUp))
            .atMost(LIST_MS)
            .note("a page of 100, " + many + " on record"),
        Result.of("GET /sandboxes", "ms", all.after(warmUp))
            .note("all " + many + " that are on record"));
  }
}
