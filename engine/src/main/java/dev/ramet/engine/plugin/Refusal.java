// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.plugin;

import dev.ramet.engine.Doctor.PluginReport;
import java.util.List;
import java.util.Map;

/**
 * A plugin that is not taken, and why.
 *
 * @param plugin its folder, or {@link Origin#BUILT_IN}
 * @param jar the file name of the jar it is about, or empty when it is about the whole folder
 * @param module the module it is about, or empty when that cannot be told
 * @param cause what is wrong with it
 * @param remedy what to do about it
 */
public record Refusal(String plugin, String jar, String module, String cause, String remedy) {
  /** One sentence: which plugin, which jar, which module, and why. */
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

  /** The same for the doctor. */
  public PluginReport report() {
    return new PluginReport(
        "",
        plugin,
        plugin,
        jar,
        module,
        "",
        "",
        "refused",
        cause,
        sentence(),
        remedy,
        List.of(),
        Map.of(),
        0);
  }
}
