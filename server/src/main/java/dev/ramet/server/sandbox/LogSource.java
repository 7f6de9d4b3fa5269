// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.sandbox;

import dev.ramet.errors.RametException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The logs of a sandbox. */
enum LogSource {
  /** Lines of the guest's kernel and of its programs on the serial console. */
  CONSOLE,
  /** Output of the program that the template starts. */
  CONTAINER,
  /** Lines of the guest's agent. */
  AGENT;

  /** Returns its name in requests and responses. */
  String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Parses a name; null for all. */
  static @Nullable LogSource parse(@Nullable String name) {
    if (name == null) {
      return null;
    }
    for (LogSource source : values()) {
      if (source.wireName().equals(name)) {
        return source;
      }
    }
    throw RametException.invalid("source", "must be console, container or agent");
  }
}
