// SPDX-License-Identifier: Apache-2.0
package dev.ramet.keys;

import dev.ramet.errors.RametException;
import java.util.Locale;

/** What a key is for. */
public enum Scope {
  /** Sandboxes and snapshots, and reading what there is. */
  USER,
  /** All of that, and the host itself: templates, storage, plugins, metrics. */
  ADMIN;

  /** Whether a key of this scope may do what wants {@code needed}. */
  public boolean covers(Scope needed) {
    return compareTo(needed) >= 0;
  }

  /** The word on the wire and in the file. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * The scope of a word.
   *
   * @throws RametException {@code INVALID_ARGUMENT} if it is none
   */
  public static Scope of(String label) {
    for (Scope scope : values()) {
      if (scope.label().equals(label)) {
        return scope;
      }
    }
    throw RametException.invalid("scope", "must be user or admin, not " + label);
  }
}
