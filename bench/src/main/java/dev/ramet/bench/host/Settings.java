// SPDX-License-Identifier: Apache-2.0
package dev.ramet.bench.host;

import java.nio.file.Path;
import java.util.Set;

/**
 * The directories of a run and its number of measurements. Immutable and thread-safe.
 *
 * @param home the installed layout
 * @param java the JVM that the layout's launcher uses
 * @param floors directory of the floors' programs
 * @param work directory for all files of a run; its owner deletes it
 * @param cache the directory in which template recipes keep packages
 * @param parts which parts of a suite to run; empty for all
 * @param quick fewer repetitions: for a first impression, not for a claim
 */
public record Settings(
    Path home, Path java, Path floors, Path work, Path cache, Set<String> parts, boolean quick) {
  Path launcher() {
    return home.resolve("bin/ramet");
  }

  Path dataRoot() {
    return work.resolve("data");
  }

  Path hostLog() {
    return work.resolve("host.log");
  }

  Path hostPid() {
    return work.resolve("host.pid");
  }

  /** Returns whether to run a part of a suite. */
  public boolean wants(String part) {
    return parts.isEmpty() || parts.contains(part);
  }

  /** Returns the first number, or the second in a quick run. */
  public int times(int full, int fewer) {
    return quick ? fewer : full;
  }
}
