// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.settings;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The declaration of one setting: the only place that has its key, type, bounds, default and
 * description. A constant of this type stands next to the code that reads it. Immutable and
 * thread-safe.
 *
 * @param <T> the type of its value
 * @param key its name in the file of settings and on the command line; for a setting of the
 *     environment only, the variable's name
 * @param type the values it accepts
 * @param unit unit of a number, or null
 * @param fallback the default value as text, or null when there is none; {@value #HOME} in it
 *     stands for the directory of the installed layout
 * @param unset what happens when it is not set and has no default, or null
 * @param meaning what it does, in full sentences
 * @param example an example value, or null
 * @param secret whether its value is never shown
 */
public record Setting<T>(
    String key,
    SettingType<T> type,
    @Nullable String unit,
    @Nullable String fallback,
    @Nullable String unset,
    String meaning,
    @Nullable String example,
    boolean secret) {
  /** Stands for the directory of the installed layout. */
  public static final String HOME = "{home}";

  /** Declares a setting of any type, without a default. */
  public static <T> Setting<T> of(String key, SettingType<T> type, String meaning) {
    return new Setting<>(key, type, null, null, null, meaning, null, false);
  }

  /** Declares a setting that is true or false. */
  public static Setting<Boolean> toggle(String key, boolean fallback, String meaning) {
    return of(key, SettingTypes.SWITCH, meaning).byDefault(fallback);
  }

  /** Declares a time, which is not negative. */
  public static Setting<Duration> duration(String key, Duration fallback, String meaning) {
    return of(key, SettingTypes.DURATION, meaning).byDefault(fallback);
  }

  /** Declares a number from {@code least} to {@code most}. */
  public static Setting<Integer> number(String key, int least, int most, String meaning) {
    return of(key, SettingTypes.number(least, most), meaning);
  }

  /**
   * Declares a size of at least 1.
   *
   * @param unit unit of a number; one of bytes also takes values like {@code 4G}
   */
  public static Setting<Long> size(String key, String unit, String meaning) {
    SettingType<Long> type = unit.startsWith("bytes") ? SettingTypes.SIZE : SettingTypes.AMOUNT;
    return of(key, type, meaning).in(unit);
  }

  /** Declares one of an enumeration's constants, which are accepted in any case. */
  public static <E extends Enum<E>> Setting<E> constant(String key, E fallback, String meaning) {
    return of(key, SettingTypes.constant(fallback.getDeclaringClass()), meaning)
        .byDefault(fallback);
  }

  /** Declares a file or directory. */
  public static Setting<Path> path(String key, String meaning) {
    return of(key, SettingTypes.FILE, meaning);
  }

  /** Declares a plugin's id. */
  public static Setting<String> id(String key, String meaning) {
    return of(key, SettingTypes.ID, meaning);
  }

  /** Returns this setting with a default. */
  public Setting<T> byDefault(T value) {
    return withFallback(type.text(value));
  }

  /** Returns this setting with a default in the directory of the installed layout. */
  public Setting<T> inLayout(String path) {
    return withFallback(HOME + "/" + path);
  }

  private Setting<T> withFallback(String text) {
    return new Setting<>(key, type, unit, text, unset, meaning, example, secret);
  }

  /** Returns this setting with a unit. */
  public Setting<T> in(String newUnit) {
    return new Setting<>(key, type, newUnit, fallback, unset, meaning, example, secret);
  }

  /** Returns this setting with a description of what happens when it is not set. */
  public Setting<T> orElse(String what) {
    return new Setting<>(key, type, unit, fallback, what, meaning, example, secret);
  }

  /** Returns this setting with an example. */
  public Setting<T> like(String value) {
    return new Setting<>(key, type, unit, fallback, unset, meaning, value, secret);
  }

  /** Returns this setting with a value that is never shown. */
  public Setting<T> hidden() {
    return new Setting<>(key, type, unit, fallback, unset, meaning, example, true);
  }

  /** Returns this setting with {@code prefix} before its key. */
  public Setting<T> below(String prefix) {
    return new Setting<>(prefix + key, type, unit, fallback, unset, meaning, example, secret);
  }

  /** Returns whether only the environment can set it. */
  public boolean environmentOnly() {
    return Character.isUpperCase(key.charAt(0));
  }

  /** Returns the environment variable that sets it. */
  public String variable() {
    return variable(key);
  }

  /** Returns the environment variable for a key. */
  public static String variable(String key) {
    return key.replace('.', '_').replace('-', '_').toUpperCase(Locale.ROOT);
  }

  /**
   * Returns the error in a value, as the rest of a sentence that begins with the key; null when it
   * is valid.
   */
  public @Nullable String problem(String text) {
    return type.problem(text, secret);
  }
}
