// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.support;

import org.jspecify.annotations.Nullable;

/**
 * A reference to an existing snapshot or template: an id or a name, optionally followed by a colon
 * and a tag. It is not validated here; an invalid one is simply not found. Immutable and
 * thread-safe.
 *
 * @param base the id or name
 * @param tag the tag, or null when none was given
 */
public record Reference(String base, @Nullable String tag) {
  /** Parses a reference. */
  public static Reference parse(String text) {
    int colon = text.indexOf(':');
    return colon < 0
        ? new Reference(text, null)
        : new Reference(text.substring(0, colon), text.substring(colon + 1));
  }

  /** Returns the tag, or the default tag when none was given; for a base that is a name. */
  public String tagOrDefault() {
    return tag == null ? TaggedName.DEFAULT : tag;
  }

  /** Returns whether this reference matches a version by its name and one of its tags. */
  public boolean matches(@Nullable TaggedName version) {
    return version != null
        && base.equals(version.alias())
        && version.tags().contains(tagOrDefault());
  }
}
