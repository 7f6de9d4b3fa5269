// SPDX-License-Identifier: Apache-2.0
package dev.ramet.pluginhost.find;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A plugin and its probe outcome.
 *
 * @param role {@code storage}, {@code storage-memory}, {@code memory} or {@code hypervisor}; empty
 *     for a refused plugin
 * @param id the plugin's id; for a refused plugin the name of its folder
 * @param origin where the plugin comes from
 * @param outcome whether it works here
 * @param capabilities what the plugin can do here
 * @param evidence the observations that prove it
 * @param probeMillis how long the probe took, in milliseconds
 */
public record PluginReport(
    String role,
    String id,
    Origin origin,
    Outcome outcome,
    List<String> capabilities,
    Map<String, String> evidence,
    long probeMillis) {

  /**
   * Whether a plugin works here.
   *
   * @param name {@code usable}, {@code unusable}, {@code failed}, or {@code refused} when the
   *     plugin was not loaded at all
   * @param reason a short phrase that says why it is unusable, failed or was refused; empty when
   *     usable
   * @param detail what the probe tried and how the host responded
   * @param remedy what the operator can do, or null
   */
  public record Outcome(String name, String reason, String detail, @Nullable String remedy) {}
}
