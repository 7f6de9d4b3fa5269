// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.sandboxes;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request for a sandbox.
 *
 * @param template id or name of a template or snapshot
 * @param timeout the time after which it is killed automatically, or null for never
 * @param metadata the creator's own key-value pairs
 * @param environment environment variables of every process that the agent starts
 * @param cpuCount virtual CPUs, or null for the template's; a different number needs a cold boot
 * @param memoryBytes guest memory, or null for the template's; a different size needs a cold boot
 * @param diskBytes virtual size of the disk, or null for the template's; a larger disk needs a cold
 *     boot, and is {@code INVALID_ARGUMENT} without one
 * @param outbound whether it may open connections, or null for the host's default
 * @param memoryMode id of the only memory mode for captures of it, or null to choose; {@code
 *     UNSUPPORTED} when that mode cannot work for it
 * @param rules its lifetime, access and network rules
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

  /** Creates a request with plain rules and the template's disk size. */
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

  /** Creates a request with the template's disk size. */
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
