// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.output;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A format in which a command prints an answer. Immutable and thread-safe.
 *
 * @param kind the kind of format
 * @param template the template of {@link Kind#JSONPATH}, null for every other kind
 */
public record OutputFormat(Kind kind, @Nullable JsonPathTemplate template) {
  /** The kinds of formats. */
  public enum Kind {
    /** A table for people. */
    TABLE,
    /** A table with more columns. */
    WIDE,
    /** The host's JSON. */
    JSON,
    /** The same data as YAML. */
    YAML,
    /** Only the ids, one per line. */
    NAME,
    /** The values that a JSONPath template selects. */
    JSONPATH
  }

  /** A table for people, the default. */
  public static final OutputFormat TABLE = new OutputFormat(Kind.TABLE, null);

  /** The host's JSON. */
  public static final OutputFormat JSON = new OutputFormat(Kind.JSON, null);

  /** Only the ids, one per line. */
  public static final OutputFormat NAME = new OutputFormat(Kind.NAME, null);

  private static final String TEMPLATE = "jsonpath=";

  /** Returns whether this format is a table. */
  public boolean isTable() {
    return kind == Kind.TABLE || kind == Kind.WIDE;
  }

  /** Reads the value of {@code --output}. */
  public static final class Converter implements ITypeConverter<OutputFormat> {
    @Override
    public OutputFormat convert(String text) {
      if (text.startsWith(TEMPLATE)) {
        try {
          return new OutputFormat(
              Kind.JSONPATH, JsonPathTemplate.parse(text.substring(TEMPLATE.length())));
        } catch (IllegalArgumentException e) {
          throw new TypeConversionException("" + e.getMessage());
        }
      }
      for (Kind kind : Kind.values()) {
        if (kind != Kind.JSONPATH && kind.name().toLowerCase(Locale.ROOT).equals(text)) {
          return new OutputFormat(kind, null);
        }
      }
      throw new TypeConversionException(
          "not a format: " + text + "; give table, wide, json, yaml, name or jsonpath=TEMPLATE");
    }
  }

  /** The values that shells offer. */
  public static final class Candidates extends java.util.AbstractList<String> {
    private static final List<String> ALL =
        List.of("table", "wide", "json", "yaml", "name", "jsonpath=");

    @Override
    public String get(int index) {
      return ALL.get(index);
    }

    @Override
    public int size() {
      return ALL.size();
    }
  }
}
