// SPDX-License-Identifier: Apache-2.0
package dev.ramet.bench.plugins;

import dev.ramet.bench.host.CommandLine;
import dev.ramet.bench.host.Floors;
import dev.ramet.bench.host.Host;
import dev.ramet.bench.host.Settings;
import dev.ramet.bench.report.Progress;
import dev.ramet.bench.report.Result;
import dev.ramet.bench.report.Samples;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Measures the cost of plugins: a start of the host with third-party layers, calls through the
 * contract, and the doctor; also other waiting times of operators. Used by one thread.
 */
public final class PluginsSuite {
  private static final int LAYERS = 10;
  private static final double START_RATIO = 1.5;
  private static final double CALL_RATIO = 1.05;
  private static final double DOCTOR_MS = 1500;
  private static final double COMMAND_MS = 300;
  private static final double READY_MS = 1000;
  private static final int WARM_UP = 1;

  /** The launcher's flags for a fast start of the JVM, used for the floor. */
  private static final String[] SERVER_FLAGS = {"-XX:+UseSerialGC", "-Xshare:auto"};

  private final Settings settings;
  private final Host host;
  private final Floors floors;

  public PluginsSuite(Settings settings, Host host, Floors floors) {
    this.settings = settings;
    this.host = host;
    this.floors = floors;
  }

  public List<Result> run() throws IOException, InterruptedException {
    Path layers = PluginLayers.make(settings.work().resolve("plugins"), LAYERS);
    Progress.say("the first start, which makes the pool");
    host.start();
    List<Result> results = new ArrayList<>(starts(layers));
    Progress.say("the doctor, and commands");
    host.start("ramet.plugins-dir=" + layers);
    results.add(doctor());
    results.add(new CommandLine(settings, host, floors).measure().atMost(COMMAND_MS));
    host.stop();
    Progress.say("calls through the contract");
    results.addAll(calls());
    return results;
  }

  /** Alternates between both, so that they see the same machine. */
  private List<Result> starts(Path layers) throws IOException, InterruptedException {
    Progress.say("starts of the host, with and without " + LAYERS + " layers");
    Samples none = new Samples();
    Samples many = new Samples();
    Samples ready = new Samples();
    Samples readyMany = new Samples();
    Samples jvm = new Samples();
    for (int i = 0; i < WARM_UP + settings.times(12, 3); i++) {
      jvm.add(floors.emptyJvm(SERVER_FLAGS));
      host.stop();
      Host.Start without = host.start();
      none.add(without.firstAnswerMs());
      ready.add(without.readyMs());
      host.stop();
      Host.Start with = host.start("ramet.plugins-dir=" + layers);
      many.add(with.firstAnswerMs());
      readyMany.add(with.readyMs());
    }
    host.stop();
    Samples floor = jvm.after(WARM_UP);
    return List.of(
        Result.of("first 200, 10 layers", "ms", many.after(WARM_UP))
            .over(none.after(WARM_UP))
            .ratioAtMost(START_RATIO)
            .note("floor: without plugins of third parties"),
        Result.of("ready, 10 layers", "ms", readyMany.after(WARM_UP))
            .over(ready.after(WARM_UP))
            .ratioAtMost(START_RATIO)
            .note("floor: without plugins of third parties"),
        Result.of("first 200", "ms", none.after(WARM_UP)).over(floor).note("floor: an empty main"),
        Result.of("ready", "ms", ready.after(WARM_UP))
            .over(floor)
            .atMost(READY_MS)
            .note("all probed, no sandbox; floor: an empty main"));
  }

  private Result doctor() throws IOException, InterruptedException {
    Samples took = new Samples();
    for (int i = 0; i < WARM_UP + settings.times(12, 3); i++) {
      long begin = System.nanoTime();
      host.api().probe();
      took.add(Host.millisSince(begin));
    }
    return Result.of("doctor", "ms", took.after(WARM_UP))
        .atMost(DOCTOR_MS)
        .note("everything probed anew, " + LAYERS + " layers among it");
  }

  /** Runs in a separate JVM, where the installed modules are named modules, as in a host. */
  private List<Result> calls() throws IOException, InterruptedException {
    List<String> command =
        List.of(
            settings.java().toString(),
            "-XX:+UseSerialGC",
            "--enable-native-access=com.sun.jna",
            "--module-path",
            settings.home().resolve("lib/modules").toString(),
            "--add-modules",
            "ALL-MODULE-PATH",
            "-cp",
            System.getProperty("java.class.path").split(":", -1)[0],
            ContractCalls.class.getName(),
            settings.work().toString(),
            Integer.toString(settings.times(60, 10)));
    Map<String, Samples> direct = new LinkedHashMap<>();
    Map<String, Samples> guarded = new LinkedHashMap<>();
    for (String line : floors.run(command, settings.work())) {
      String[] words = line.split(" ", -1);
      if (words.length == 3) {
        direct.computeIfAbsent(words[0], name -> new Samples()).add(Double.parseDouble(words[1]));
        guarded.computeIfAbsent(words[0], name -> new Samples()).add(Double.parseDouble(words[2]));
      }
    }
    List<Result> results = new ArrayList<>();
    guarded.forEach(
        (call, samples) ->
            results.add(
                Result.of("call " + call, "us", samples)
                    .over(direct.getOrDefault(call, samples))
                    .ratioAtMost(CALL_RATIO)
                    .note("floor: the backend without its guard")));
    return results;
  }
}
