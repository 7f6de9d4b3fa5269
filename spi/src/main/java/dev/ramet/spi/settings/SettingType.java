// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.settings;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The type of a setting's value, which is written as text. Immutable and thread-safe.
 *
 * @param <T> the type in Java
 */
public final class SettingType<T> {
  private final String description;
  private final boolean list;
  private final boolean mayBeEmpty;
  private final Function<String, Optional<T>> reader;
  private final Function<String, String> wrongPart;
  private final Function<T, String> writer;

  private SettingType(
      String description,
      boolean list,
      boolean mayBeEmpty,
      Function<String, Optional<T>> reader,
      Function<String, String> wrongPart,
      Function<T, String> writer) {
    this.description = description;
    this.list = list;
    this.mayBeEmpty = mayBeEmpty;
    this.reader = reader;
    this.wrongPart = wrongPart;
    this.writer = writer;
  }

  /**
   * Creates a type.
   *
   * @param description for people, to follow "must be": {@code a whole number from 1 to 64}
   * @param reader parses a text that is not empty; returns empty unless it is allowed
   * @param writer the inverse of the reader
   */
  public static <T> SettingType<T> of(
      String description, Function<String, Optional<T>> reader, Function<T, String> writer) {
    return new SettingType<>(description, false, false, reader, text -> text, writer);
  }

  /** Creates the type of comma-separated lists, which may be empty. */
  public static <E> SettingType<List<E>> listOf(String description, SettingType<E> one) {
    return new SettingType<>(
        description,
        true,
        true,
        text -> readAll(one, text),
        text -> firstWrong(one, text),
        values -> values.stream().map(one.writer).collect(Collectors.joining(",")));
  }

  private static <E> Optional<List<E>> readAll(SettingType<E> one, String text) {
    List<E> values = new ArrayList<>();
    if (!text.isEmpty()) {
      for (String part : text.split(",", -1)) {
        Optional<E> value = one.reader.apply(part.strip());
        if (value.isEmpty()) {
          return Optional.empty();
        }
        values.add(value.get());
      }
    }
    return Optional.of(List.copyOf(values));
  }

  private static String firstWrong(SettingType<?> one, String text) {
    for (String part : text.split(",", -1)) {
      if (one.reader.apply(part.strip()).isEmpty()) {
        return part;
      }
    }
    return text;
  }

  /** Returns this type with the empty text as another value. */
  public SettingType<T> orEmpty() {
    return new SettingType<>(description, list, true, reader, wrongPart, writer);
  }

  /** Returns the description, to follow "must be". */
  public String description() {
    return description;
  }

  /** Returns whether it is a comma-separated list. */
  public boolean list() {
    return list;
  }

  /** Returns whether a text is allowed. */
  public boolean allows(String text) {
    return problem(text, true) == null;
  }

  /** Returns a value that {@link #problem} allows. */
  T parse(String text) {
    return reader.apply(text).orElseThrow(() -> new IllegalArgumentException("not " + description));
  }

  /** Returns the text of a value. */
  String text(T value) {
    return writer.apply(value);
  }

  /**
   * Returns the error in a value, as the rest of a sentence that begins with the setting's name;
   * null when it is valid.
   *
   * @param secret whether the value must not be quoted
   */
  @Nullable String problem(String text, boolean secret) {
    if (text.isEmpty()) {
      return mayBeEmpty ? null : "is empty; leave it out to use the default";
    }
    return reader.apply(text).isPresent()
        ? null
        : "must be " + description + (secret ? "" : ", not " + wrongPart.apply(text));
  }
}
