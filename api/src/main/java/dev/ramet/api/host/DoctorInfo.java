// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.host;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What this host can do, what was chosen and why. Immutable and thread-safe as far as its
 * collections are.
 *
 * @param verdict the whole in one word: {@code GOOD}, {@code DEGRADED} or {@code BROKEN}
 * @param host facts about the host, by name
 * @param plugins every plugin with its probe outcome
 * @param selections what was chosen for each role
 * @param advice what would make this host better, most useful first
 */
public record DoctorInfo(
    String verdict,
    Map<String, String> host,
    List<Plugin> plugins,
    List<Selection> selections,
    List<String> advice) {
  /**
   * One plugin.
   *
   * @param role {@code storage}, {@code storage-memory}, {@code memory} or {@code hypervisor};
   *     empty for a refused one
   * @param id the plugin's id; that of its folder for a refused one
   * @param plugin the folder it comes from, or {@code built-in}
   * @param jar the file name of its jar, or empty
   * @param module the module it comes from, or empty
   * @param version that module's version, or empty
   * @param nativeAccess what holds for its calls of native code, for people
   * @param outcome {@code usable}, {@code unusable}, {@code failed}, or {@code refused} when it was
   *     not taken at all
   * @param reason short phrase: why it is unusable, failed or was refused; empty when usable
   * @param detail what was tried and what came back
   * @param remedy what to do, or null
   * @param capabilities what it can do
   * @param evidence what proves it
   * @param probeMillis how long the probe took
   */
  public record Plugin(
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
   * One choice.
   *
   * @param role what was chosen for, for example {@code storage}
   * @param where the path it was chosen for, or empty
   * @param chosen the plugin's id, or null when nothing can do it
   * @param reason why
   */
  public record Selection(String role, String where, @Nullable String chosen, String reason) {}
}
