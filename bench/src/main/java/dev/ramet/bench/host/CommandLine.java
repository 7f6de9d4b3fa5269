// SPDX-License-Identifier: Apache-2.0
package dev.ramet.bench.host;

import dev.ramet.bench.report.Result;
import dev.ramet.bench.report.Samples;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/** Measures how long a person waits for a command. Used by one thread. */
public final class CommandLine {
  private static final double TARGET_MS = 400;
  private static final int WARM_UP = 2;

  private final Settings settings;
  private final Host host;
  private final Floors floors;

  public CommandLine(Settings settings, Host host, Floors floors) {
    this.settings = settings;
    this.host = host;
    this.floors = floors;
  }

  public Result measure() throws IOException, InterruptedException {
    List<String> list = List.of(settings.launcher().toString(), "sandbox", "ls", "--json");
    Map<String, String> server = Map.of("RAMET_SERVER", "http://127.0.0.1:" + host.api().port());
    Samples commands = new Samples();
    Samples empty = new Samples();
    for (int i = 0; i < WARM_UP + settings.times(20, 5); i++) {
      empty.add(
          floors.emptyJvm(
              "-XX:+UseSerialGC",
              "-XX:TieredStopAtLevel=1",
              "-Xmx160m",
              "-XX:-UsePerfData",
              "-Xshare:auto"));
      commands.add(floors.time(list, server));
    }
    return Result.of("command sandbox ls", "ms", commands.after(WARM_UP))
        .over(empty.after(WARM_UP))
        .atMost(TARGET_MS)
        .note("floor: an empty main");
  }
}
