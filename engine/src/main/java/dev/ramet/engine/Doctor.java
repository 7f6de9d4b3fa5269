// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reports what this host can do, which plugins were selected, and why. */
public interface Doctor {
  /**
   * Returns the report.
   *
   * @param refresh whether to probe again instead of returning the earlier results
   */
  Report report(boolean refresh);

  /**
   * The result of probing the host and its plugins.
   *
   * @param verdict the overall result
   * @param host facts about the host, by name
   * @param plugins every plugin with its probe outcome
   * @param selections the plugin selected for each role
   * @param advice what would improve this host, most useful first
   */
  record Report(
      Verdict verdict,
      Map<String, String> host,
      List<PluginReport> plugins,
      List<Selection> selections,
      List<String> advice) {}

  /** The overall result. */
  enum Verdict {
    /** Everything works as fast as it can. */
    GOOD,
    /** Everything works, but some of it slower than possible. */
    DEGRADED,
    /** Sandboxes cannot run. */
    BROKEN
  }

  /**
   * A plugin and its probe outcome.
   *
   * @param role {@code storage}, {@code storage-memory}, {@code memory} or {@code hypervisor};
   *     empty for a refused plugin
   * @param id the plugin's id; for a refused plugin the name of its folder
   * @param plugin the folder it comes from, or {@code built-in}
   * @param jar the file name of its jar, or empty
   * @param module the module it comes from, or empty
   * @param version that module's version, or empty
   * @param nativeAccess whether it may call native code, for people
   * @param outcome {@code usable}, {@code unusable}, {@code failed}, or {@code refused} when the
   *     plugin was not loaded at all
   * @param reason a short phrase that says why it is unusable, failed or was refused; empty when
   *     usable
   * @param detail what the probe tried and how the host responded
   * @param remedy what the operator can do, or null
   * @param capabilities what the plugin can do here
   * @param evidence the observations that prove it
   * @param probeMillis how long the probe took, in milliseconds
   */
  record PluginReport(
      String role,
      String id,
      String plugin,
      String jar,
      String module,
      String version,
      String nativeAccess,
      String outcome,
      String reason,
      String detail,
      @Nullable String remedy,
      List<String> capabilities,
      Map<String, String> evidence,
      long probeMillis) {}

  /**
   * The plugin selected for one role.
   *
   * @param role the role, for example {@code storage}
   * @param where the path it was selected for, or empty
   * @param chosen the plugin's id, or null when no plugin can do it
   * @param reason why it was selected
   */
  record Selection(String role, String where, @Nullable String chosen, String reason) {}
}
