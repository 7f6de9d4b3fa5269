// SPDX-License-Identifier: Apache-2.0
package dev.ramet.config;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The source of a value. Immutable and thread-safe.
 *
 * @param kind kind of source
 * @param name the variable, the property or the option; null for others
 * @param file the file, or null
 * @param line the line in the file, from 1; 0 for none
 */
public record ValueSource(Kind kind, @Nullable String name, @Nullable Path file, int line) {
  /** The kinds of sources, each overriding those before it. */
  public enum Kind {
    /** The default of the setting. */
    DEFAULT("default"),
    /** The file of settings. */
    FILE("file"),
    /** An environment variable. */
    ENVIRONMENT("environment"),
    /** A system property of Java. */
    SYSTEM_PROPERTY("system-property"),
    /** An option of the command. */
    FLAG("flag");

    private final String label;

    Kind(String label) {
      this.label = label;
    }

    /** Returns its name in JSON. */
    public String label() {
      return label;
    }
  }

  static final ValueSource DEFAULT = new ValueSource(Kind.DEFAULT, null, null, 0);

  static ValueSource line(Path file, int line) {
    return new ValueSource(Kind.FILE, null, file, line);
  }

  static ValueSource variable(String name) {
    return new ValueSource(Kind.ENVIRONMENT, name, null, 0);
  }

  static ValueSource property(String name) {
    return new ValueSource(Kind.SYSTEM_PROPERTY, name, null, 0);
  }

  static ValueSource flag(String name) {
    return new ValueSource(Kind.FLAG, name, null, 0);
  }

  /** Returns the source for people: {@code /etc/ramet/ramet.yaml:12}. */
  @Override
  public String toString() {
    return switch (kind) {
      case DEFAULT -> "default";
      case FILE -> line == 0 ? "" + file : file + ":" + line;
      case ENVIRONMENT -> "environment variable " + name;
      case SYSTEM_PROPERTY -> "-D" + name;
      case FLAG -> "option for " + name;
    };
  }
}
