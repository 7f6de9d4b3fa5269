// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.view;

import dev.ramet.api.sandbox.SandboxStats;
import dev.ramet.engine.sandboxes.MachineUsage;
import dev.ramet.engine.sandboxes.Sandbox;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Converts measurements of machines to their wire form. */
public final class StatsView {
  private static final double MILLIS_PER_SECOND = 1000;

  private StatsView() {}

  /**
   * Returns the entry of a sandbox.
   *
   * @param usage its measurements, or null if it does not run
   */
  public static SandboxStats of(Sandbox sandbox, @Nullable MachineUsage usage) {
    return new SandboxStats(
        sandbox.id(),
        sandbox.templateName(),
        sandbox.state().name().toLowerCase(Locale.ROOT),
        (usage == null ? Instant.now() : usage.at()).toString(),
        sandbox.cpuCount(),
        sandbox.memoryBytes() >> 20,
        usage == null ? null : usage(usage));
  }

  private static SandboxStats.Usage usage(MachineUsage usage) {
    MachineUsage.Traffic network = usage.network();
    return new SandboxStats.Usage(
        usage.cpuTime().toMillis() / MILLIS_PER_SECOND,
        usage.ownBytes(),
        usage.sharedBytes(),
        usage.disk().inBytes(),
        usage.disk().outBytes(),
        network == null ? null : network.inBytes(),
        network == null ? null : network.outBytes());
  }
}
