// SPDX-License-Identifier: Apache-2.0
package dev.ramet.bench;

import java.nio.file.Path;
import java.util.Set;

/**
 * Where things are and how much is measured. Immutable and thread-safe.
 *
 * @param home the installed layout
 * @param java the JVM that the layout's launcher uses
 * @param floors directory of the floors' programs
 * @param work directory for everything a run makes; its owner removes it
 * @param cache where template recipes keep packages
 * @param parts which parts of a suite to run; empty for all
 * @param quick fewer repetitions: for a look, not for a claim
 */
record Settings(
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

  /** Whether a part of a suite is to be run. */
  boolean wants(String part) {
    return parts.isEmpty() || parts.contains(part);
  }

  /** This many, or fewer in a quick run. */
  int times(int full, int fewer) {
    return quick ? fewer : full;
  }
}
