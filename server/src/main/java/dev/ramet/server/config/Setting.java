// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.config;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One thing that can be set. Immutable and thread-safe.
 *
 * @param key its name in the file and on the command line; of what only the environment can set,
 *     the variable's name
 * @param part what reads it, for a person
 * @param type what values it may have
 * @param unit what a number counts, or null
 * @param fallback the value when nothing is set, or null when there is none; {@value #HOME} in it
 *     is the directory of the installed layout
 * @param unset what happens when nothing is set and there is no such value, or null
 * @param meaning what it does, as sentences
 * @param example a value to show, or null
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

  /** Whether only the environment can set it. */
  public boolean environmentOnly() {
    return Character.isUpperCase(key.charAt(0));
  }

  /** The environment variable that sets it. */
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
