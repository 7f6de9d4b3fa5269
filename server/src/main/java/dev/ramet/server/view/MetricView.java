// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.view;

import dev.ramet.api.sandbox.SandboxMetric;
import dev.ramet.engine.sandboxes.Metrics;

/** Converts measurements of guests to their wire form. */
public final class MetricView {
  private MetricView() {}

  public static SandboxMetric of(Metrics m) {
    return SandboxMetric.builder()
        .timestamp(m.at().toString())
        .timestampUnix(m.at().getEpochSecond())
        .cpuCount(m.cpuCount())
        .cpuUsedPct(m.cpuUsedPercent())
        .memUsed(m.memoryUsedBytes())
        .memTotal(m.memoryTotalBytes())
        .memCache(m.memoryCacheBytes())
        .diskUsed(m.diskUsedBytes())
        .diskTotal(m.diskTotalBytes())
        .build();
  }
}
