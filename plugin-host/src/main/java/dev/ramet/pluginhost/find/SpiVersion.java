// SPDX-License-Identifier: Apache-2.0
package dev.ramet.pluginhost.find;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A version of the plugin contracts, the modules {@code dev.ramet.errors} and {@code
 * dev.ramet.spi}, which are released together. The compiler writes the version it compiled against
 * into every module that requires them, so a plugin cannot state a wrong one.
 *
 * <p>Numbered by semver.org: within a major version contracts only grow; before 1.0 the same holds
 * within a minor version.
 *
 * @param major increases with changes that break plugins
 * @param minor increases with additions, and before 1.0 with changes that break plugins
 */
record SpiVersion(int major, int minor) {
  private static final Pattern NUMBERS =
      Pattern.compile("(\\d{1,9})\\.(\\d{1,9})(?:\\.\\d+)*(?:[-+].*)?");

  /** Parses a version. Patch level and qualifiers such as SNAPSHOT are ignored. */
  static Optional<SpiVersion> parse(String text) {
    Matcher matcher = NUMBERS.matcher(text);
    return matcher.matches()
        ? Optional.of(
            new SpiVersion(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2))))
        : Optional.empty();
  }

  /** Returns whether a host with this version can run a plugin compiled against {@code other}. */
  boolean supports(SpiVersion other) {
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
