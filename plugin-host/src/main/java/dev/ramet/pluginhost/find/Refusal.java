// SPDX-License-Identifier: Apache-2.0
package dev.ramet.pluginhost.find;

import java.util.List;
import java.util.Map;

/**
 * A plugin that is refused, and the reason.
 *
 * @param plugin its folder, or {@link Origin#BUILT_IN}
 * @param jar the file name of the jar at fault, or empty if it is the whole folder
 * @param module the module at fault, or empty if it is unknown
 * @param cause what is wrong with it
 * @param remedy what to do about it
 */
public record Refusal(String plugin, String jar, String module, String cause, String remedy) {
  /** Returns one sentence with the plugin, jar, module and cause. */
  public String sentence() {
    StringBuilder text = new StringBuilder("plugin ").append(plugin).append(" is refused");
    if (!jar.isEmpty() || !module.isEmpty()) {
      text.append(" because of ").append(jar);
      if (!module.isEmpty()) {
        text.append(jar.isEmpty() ? "module " : " (module ").append(module);
        text.append(jar.isEmpty() ? "" : ")");
      }
    }
    return text.append(": ").append(cause).toString();
  }

  /** Returns a report for the doctor. */
  public PluginReport report() {
    return new PluginReport(
        "",
        plugin,
        new Origin(plugin, jar, module, "", ""),
        new PluginReport.Outcome("refused", cause, sentence(), remedy),
        List.of(),
        Map.of(),
        0);
  }
}
