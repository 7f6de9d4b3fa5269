// SPDX-License-Identifier: Apache-2.0
package dev.ramet.keys;

import dev.ramet.errors.RametException;
import java.util.Locale;

/** The permissions of an API key. */
public enum Scope {
  /** Sandboxes and snapshots, and reading the other objects. */
  USER,
  /** All of {@link #USER}, and the host itself: templates, storage, plugins, metrics. */
  ADMIN;

  /** Returns whether a key of this scope permits what requires {@code needed}. */
  public boolean covers(Scope needed) {
    return compareTo(needed) >= 0;
  }

  /** Returns the name of this scope on the wire and in the file. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Returns the scope with a name.
   *
   * @throws RametException {@code INVALID_ARGUMENT} if there is none
   */
  public static Scope fromLabel(String label) {
    for (Scope scope : values()) {
      if (scope.label().equals(label)) {
        return scope;
      }
    }
    throw RametException.invalid("scope", "must be user or admin, not " + label);
  }
}
