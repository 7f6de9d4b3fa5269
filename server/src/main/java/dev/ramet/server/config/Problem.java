// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.config;

/**
 * Something that is wrong with what is set. Immutable and thread-safe.
 *
 * @param key the setting, as it was written
 * @param origin where
 * @param text what is wrong with it, to stand after its name
 */
public record Problem(String key, ValueSource origin, String text) {
  /** One line: {@code /etc/ramet/ramet.yaml:12: ramet.port: must be …}. */
  @Override
  public String toString() {
    return origin + ": " + (key.isEmpty() || key.equals(origin.name()) ? "" : key + ": ") + text;
  }
}
