// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.settings;

import dev.ramet.errors.RametException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/** The values that an operator has set, by key. Immutable and thread-safe. */
public final class Settings {
  /** No value is set, so every setting has its default. */
  public static final Settings NONE = new Settings(Map.of());

  private final Map<String, String> texts;

  private Settings(Map<String, String> texts) {
    this.texts = Map.copyOf(texts);
  }

  /** Creates settings from their values as text. */
  public static Settings of(Map<String, String> texts) {
    return new Settings(texts);
  }

  /**
   * Returns the value of a setting, or its default.
   *
   * @throws RametException {@code INVALID_ARGUMENT} if the value is not allowed
   * @throws IllegalStateException if there is neither a value nor a default; {@link #find} is for
   *     settings without one
   */
  public <T> T get(Setting<T> setting) {
    return find(setting)
        .orElseThrow(() -> new IllegalStateException(setting.key() + " is not set"));
  }

  /**
   * Returns the value of a setting or its default, or empty if there is neither.
   *
   * @throws RametException {@code INVALID_ARGUMENT} if the value is not allowed
   */
  public <T> Optional<T> find(Setting<T> setting) {
    String set = texts.get(setting.key());
    String text = set == null ? setting.fallback() : set;
    if (text == null || text.startsWith(Setting.HOME)) {
      return Optional.empty();
    }
    String problem = setting.problem(text);
    if (problem != null) {
      throw RametException.invalid(setting.key(), problem);
    }
    return Optional.of(setting.type().parse(text));
  }

  /** Returns whether a value is set. */
  public boolean has(Setting<?> setting) {
    return texts.containsKey(setting.key());
  }

  /** Returns these settings with another value of one. */
  public Settings with(String key, String text) {
    Map<String, String> all = new HashMap<>(texts);
    all.put(key, text);
    return new Settings(all);
  }

  /** Returns these settings with another value of one. */
  public <T> Settings with(Setting<T> setting, T value) {
    return with(setting.key(), setting.type().text(value));
  }

  /** Returns the settings whose keys begin with a prefix, by the rest of their keys. */
  public Settings below(String prefix) {
    Map<String, String> found = new HashMap<>();
    texts.forEach(
        (key, text) -> {
          if (key.startsWith(prefix)) {
            found.put(key.substring(prefix.length()), text);
          }
        });
    return new Settings(found);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Settings settings && settings.texts.equals(texts);
  }

  @Override
  public int hashCode() {
    return texts.hashCode();
  }

  /** Returns the keys only, because values may be secret. */
  @Override
  public String toString() {
    return new TreeSet<>(texts.keySet()).toString();
  }
}
