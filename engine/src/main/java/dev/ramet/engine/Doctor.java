// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

import dev.ramet.pluginhost.Selection;
import dev.ramet.pluginhost.find.PluginReport;
import java.util.List;
import java.util.Map;

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
}
