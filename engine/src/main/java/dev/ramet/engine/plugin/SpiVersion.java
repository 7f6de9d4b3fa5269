// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.plugin;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A version of the plugin contracts: that of the modules {@code dev.ramet.errors} and {@code
 * dev.ramet.spi}, which are released together. The compiler writes the version it compiled against
 * into every module that requires them, so that a plugin cannot state a wrong one.
 *
 * <p>Numbered as semver.org has it: within a major version contracts only grow; before 1.0 that
 * holds within a minor version.
 *
 * @param major changes with what breaks plugins
 * @param minor changes with what is added, and before 1.0 with what breaks plugins
 */
record SpiVersion(int major, int minor) {
  private static final Pattern NUMBERS =
      Pattern.compile("(\\d{1,9})\\.(\\d{1,9})(?:\\.\\d+)*(?:[-+].*)?");

  /** Reads a version; patch level and qualifiers such as SNAPSHOT do not matter. */
  static Optional<SpiVersion> parse(String text) {
    Matcher matcher = NUMBERS.matcher(text);
    return matcher.matches()
        ? Optional.of(
            new SpiVersion(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2))))
        : Optional.empty();
  }

  /** Whether a host with this version can run what was compiled against {@code other}. */
  boolean runs(SpiVersion other) {
    if (major != other.major) {
      return false;
    }
    return major == 0 ? minor == other.minor : minor >= other.minor;
  }

  @Override
  public String toString() {
    return major + "." + minor;
  }
}
