// SPDX-License-Identifier: Apache-2.0
package dev.ramet.config;

/**
 * An error in the settings. Immutable and thread-safe.
 *
 * @param key the setting, as it was written
 * @param origin where it was set
 * @param text the error, as the rest of a sentence that begins with the setting's name
 */
public record Problem(String key, ValueSource origin, String text) {
  /** Returns one line: {@code /etc/ramet/ramet.yaml:12: ramet.port: must be …}. */
  @Override
  public String toString() {
    return origin + ": " + (key.isEmpty() || key.equals(origin.name()) ? "" : key + ": ") + text;
  }
}
