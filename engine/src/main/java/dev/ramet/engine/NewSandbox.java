// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request for a sandbox.
 *
 * @param template id or name of a template or snapshot
 * @param timeout after which it is killed by itself, or null for never
 * @param metadata the creator's own key-value pairs
 * @param environment environment of every process the agent starts
 * @param cpuCount virtual CPUs, or null for the template's; another value means a cold boot
 * @param memoryBytes guest memory, or null for the template's; another value means a cold boot
 * @param diskBytes virtual size of the disk, or null for the template's; a larger one needs a start
 *     by a cold boot, {@code INVALID_ARGUMENT} without
 * @param outbound whether it may open connections, or null for the host's default
 * @param memoryMode id of the only memory mode for captures of it, or null to choose; {@code
 *     UNSUPPORTED} when that one cannot work for it
 * @param rules what its creator wants of its life
 */
public record NewSandbox(
    String template,
    @Nullable Duration timeout,
    Map<String, String> metadata,
    Map<String, String> environment,
    @Nullable Integer cpuCount,
    @Nullable Long memoryBytes,
    @Nullable Long diskBytes,
    @Nullable Boolean outbound,
    @Nullable String memoryMode,
    SandboxRules rules) {
  /** Copies the maps. */
  public NewSandbox {
    metadata = Map.copyOf(metadata);
    environment = Map.copyOf(environment);
  }

  /** A sandbox with plain rules. */
  public NewSandbox(
      String template,
      @Nullable Duration timeout,
      Map<String, String> metadata,
      Map<String, String> environment,
      @Nullable Integer cpuCount,
      @Nullable Long memoryBytes,
      @Nullable Boolean outbound,
      @Nullable String memoryMode) {
    this(
        template,
        timeout,
        metadata,
        environment,
        cpuCount,
        memoryBytes,
        null,
        outbound,
        memoryMode,
        SandboxRules.PLAIN);
  }

  /** A sandbox with the template's disk. */
  public NewSandbox(
      String template,
      @Nullable Duration timeout,
      Map<String, String> metadata,
      Map<String, String> environment,
      @Nullable Integer cpuCount,
      @Nullable Long memoryBytes,
      @Nullable Boolean outbound,
      @Nullable String memoryMode,
      SandboxRules rules) {
    this(
        template,
        timeout,
        metadata,
        environment,
        cpuCount,
        memoryBytes,
        null,
        outbound,
        memoryMode,
        rules);
  }
}
