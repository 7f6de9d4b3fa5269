// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.config;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The description of one setting. Immutable and thread-safe.
 *
 * @param key its name in the file and on the command line; for a setting of the environment only,
 *     the variable's name
 * @param part the component that reads it, in words for people
 * @param type the values it accepts
 * @param unit unit of a number, or null
 * @param fallback the default value, or null when there is none; {@value #HOME} in it stands for
 *     the directory of the installed layout
 * @param unset what happens when it is not set and has no default, or null
 * @param meaning what it does, in full sentences
 * @param example an example value, or null
 * @param secret whether its value is never shown
 */
public record Setting(
    String key,
    String part,
    Type type,
    @Nullable String unit,
    @Nullable String fallback,
    @Nullable String unset,
    String meaning,
    @Nullable String example,
    boolean secret) {
  /** Stands for the directory of the installed layout. */
  static final String HOME = "{home}";

  /** Returns whether only the environment can set it. */
  public boolean environmentOnly() {
    return Character.isUpperCase(key.charAt(0));
  }

  /** Returns the environment variable that sets it. */
  public String variable() {
    return variable(key);
  }

  static String variable(String key) {
    return key.replace('.', '_').replace('-', '_').toUpperCase(Locale.ROOT);
  }

  Setting in(String newUnit) {
    return new Setting(key, part, type, newUnit, fallback, unset, meaning, example, secret);
  }

  Setting orElse(String what) {
    return new Setting(key, part, type, unit, fallback, what, meaning, example, secret);
  }

  Setting like(String value) {
    return new Setting(key, part, type, unit, fallback, unset, meaning, value, secret);
  }

  Setting hidden() {
    return new Setting(key, part, type, unit, fallback, unset, meaning, example, true);
  }
}
