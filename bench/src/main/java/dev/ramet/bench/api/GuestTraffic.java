// SPDX-License-Identifier: Apache-2.0
package dev.ramet.bench.api;

import dev.ramet.api.sandbox.SandboxInfo;
import dev.ramet.bench.host.Agent;
import dev.ramet.bench.host.Api;
import dev.ramet.bench.host.Floors;
import dev.ramet.bench.host.Host;
import dev.ramet.bench.host.Procfs;
import dev.ramet.bench.host.Settings;
import dev.ramet.bench.report.Progress;
import dev.ramet.bench.report.Result;
import dev.ramet.bench.report.Samples;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Measures the cost of traffic to a guest through the host. Used by one thread. */
final class GuestTraffic {
  private static final long FILE_BYTES = 100L << 20;
  private static final double ADDED_MS = 1;
  private static final double THROUGHPUT_RATIO = 0.7;
  private static final double SDK_RATIO = 2;
  private static final int SANDBOXES = 4;
  private static final int STREAMS = 200;
  private static final int LINES = 100;

  private final Settings settings;
  private final Host host;
  private final Floors floors;

  GuestTraffic(Settings settings, Host host, Floors floors) {
    this.settings = settings;
    this.host = host;
    this.floors = floors;
  }

  List<Result> run() throws IOException, InterruptedException {
    Api api = host.api();
    SandboxInfo sandbox = api.create("micro");
    Agent direct = Agent.direct(sandbox);
    Agent through = Agent.through(api, sandbox);
    List<Result> results = new ArrayList<>();
    Progress.say("requests to a guest");
    results.addAll(requests(direct, through));
    Progress.say("programs in a guest");
    results.addAll(programs(sandbox, direct, through));
    Progress.say("files to and from a guest");
    results.addAll(files(direct, through));
    api.kill(sandbox.sandboxID());
    Progress.say(STREAMS + " programs at once");
    results.addAll(streams());
    return results;
  }

  private List<Result> requests(Agent direct, Agent through) throws IOException {
    Samples without = new Samples();
    Samples with = new Samples();
    Samples added = new Samples();
    int warmUp = settings.times(2000, 200);
    for (int i = 0; i < warmUp + settings.times(2000, 200); i++) {
      long begin = System.nanoTime();
      direct.health();
      double alone = Host.millisSince(begin);
      begin = System.nanoTime();
      through.health();
      double proxied = Host.millisSince(begin);
      without.add(alone);
      with.add(proxied);
      added.add(proxied - alone);
    }
    return List.of(
        Result.of("guest request", "ms", with.after(warmUp)).over(without.after(warmUp)),
        Result.of("guest request, added by the host", "ms", added.after(warmUp)).atMost(ADDED_MS));
  }

  private List<Result> programs(SandboxInfo sandbox, Agent direct, Agent through)
      throws IOException, InterruptedException {
    Samples without = new Samples();
    Samples with = new Samples();
    int warmUp = settings.times(20, 5);
    for (int i = 0; i < warmUp + settings.times(100, 10); i++) {
      long begin = System.nanoTime();
      direct.exec("/bin/true");
      without.add(Host.millisSince(begin));
      begin = System.nanoTime();
      through.exec("/bin/true");
      with.add(Host.millisSince(begin));
    }
    Samples floor = without.after(warmUp);
    Samples library = new Samples();
    // bench/run sets the path of the script that uses the client library.
    List<String> command =
        List.of("node", System.getProperty("ramet.bench.library"), sandbox.sandboxID());
    Map<String, String> variables =
        Map.of(
            "E2B_API_URL",
            "http://127.0.0.1:" + host.api().port(),
            "E2B_SANDBOX_URL",
            "http://127.0.0.1:" + host.api().port(),
            "E2B_API_KEY",
            "e2b_0000000000000000000000000000000000000000",
            "RAMET_BENCH_TIMES",
            Integer.toString(warmUp + settings.times(100, 10)));
    for (String line : floors.run(command, settings.work(), variables)) {
      library.add(Double.parseDouble(line));
    }
    return List.of(
        Result.of("exec of true", "ms", with.after(warmUp)).over(floor),
        Result.of("exec of true by the E2B library", "ms", library.after(warmUp))
            .over(floor)
            .ratioAtMost(SDK_RATIO)
            .note("floor: the agent at the machine's own port"));
  }

  private List<Result> files(Agent direct, Agent through) throws IOException {
    Samples downDirect = new Samples();
    Samples down = new Samples();
    Samples upDirect = new Samples();
    Samples up = new Samples();
    long before = Procfs.status(host.pid(), "VmRSS");
    for (int i = 0; i < 1 + settings.times(5, 2); i++) {
      upDirect.add(rate(() -> direct.upload("/dev/shm/file", FILE_BYTES)));
      up.add(rate(() -> through.upload("/dev/shm/file", FILE_BYTES)));
      downDirect.add(rate(() -> direct.download("/dev/shm/file")));
      down.add(rate(() -> through.download("/dev/shm/file")));
    }
    double grown = (Procfs.status(host.pid(), "VmRSS") - before) / 1024.0;
    return List.of(
        Result.of("download", "MiB/s", down.after(1))
            .over(downDirect.after(1))
            .ratioAtLeast(THROUGHPUT_RATIO)
            .note("100 MiB from the guest's memory"),
        Result.of("upload", "MiB/s", up.after(1))
            .over(upDirect.after(1))
            .ratioAtLeast(THROUGHPUT_RATIO)
            .note("100 MiB to the guest's memory"),
        Result.of("host's memory grew by", "MiB", Samples.of(grown))
            .note("over all of these transfers"));
  }

  /** Transfers a file. */
  private interface Transfer {
    void run() throws IOException;
  }

  private static double rate(Transfer transfer) throws IOException {
    long begin = System.nanoTime();
    transfer.run();
    return (FILE_BYTES >> 20) / (Host.millisSince(begin) / 1000);
  }

  /** Runs many programs at once that write lines, and checks that every line arrives. */
  private List<Result> streams() throws IOException, InterruptedException {
    Api api = host.api();
    List<SandboxInfo> sandboxes = new ArrayList<>();
    List<Agent> direct = new ArrayList<>();
    List<Agent> through = new ArrayList<>();
    for (int i = 0; i < SANDBOXES; i++) {
      SandboxInfo sandbox = api.create("micro");
      sandboxes.add(sandbox);
      direct.add(Agent.direct(sandbox));
      through.add(Agent.through(api, sandbox));
    }
    Samples without = new Samples();
    Samples with = new Samples();
    Samples lost = new Samples();
    for (int i = 0; i < 1 + settings.times(5, 1); i++) {
      long begin = System.nanoTime();
      atOnce(direct);
      without.add(Host.millisSince(begin));
      begin = System.nanoTime();
      lost.add(atOnce(through));
      with.add(Host.millisSince(begin));
    }
    for (SandboxInfo sandbox : sandboxes) {
      api.kill(sandbox.sandboxID());
    }
    return List.of(
        Result.of("programs that lost output", "of " + STREAMS, lost)
            .atMost(0)
            .note(LINES + " lines each, all at once in " + SANDBOXES + " sandboxes"),
        Result.of("these programs", "ms", with.after(1)).over(without.after(1)));
  }

  private static int atOnce(List<Agent> agents) throws InterruptedException {
    String script = "i=0; while [ $i -lt " + LINES + " ]; do echo line $i of $0; i=$((i+1)); done";
    ExecutorService threads = Executors.newFixedThreadPool(STREAMS);
    try {
      List<Future<byte[]>> outputs = new ArrayList<>();
      for (int i = 0; i < STREAMS; i++) {
        Agent agent = agents.get(i % agents.size());
        String name = "program-" + i;
        outputs.add(threads.submit(() -> agent.exec("/bin/sh", "-c", script, name)));
      }
      int lost = 0;
      for (int i = 0; i < STREAMS; i++) {
        StringBuilder wanted = new StringBuilder();
        for (int line = 0; line < LINES; line++) {
          wanted.append("line ").append(line).append(" of program-").append(i).append('\n');
        }
        lost += came(outputs.get(i), wanted.toString()) ? 0 : 1;
      }
      return lost;
    } finally {
      threads.shutdownNow();
    }
  }

  private static boolean came(Future<byte[]> output, String wanted) throws InterruptedException {
    try {
      return new String(output.get(), StandardCharsets.UTF_8).equals(wanted);
    } catch (ExecutionException e) {
      Progress.say("a program was lost: " + e.getCause());
      return false;
    }
  }
}
