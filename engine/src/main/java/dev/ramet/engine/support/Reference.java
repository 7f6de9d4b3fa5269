// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.support;

import org.jspecify.annotations.Nullable;

/**
 * How a person means something that is there: by its id, or by its name; either with a tag behind a
 * colon, or without. Whether it is well-formed shows when it is looked for. Immutable and
 * thread-safe.
 *
 * @param base the id or name
 * @param tag the tag, or null where none was given
 */
public record Reference(String base, @Nullable String tag) {
  /** What a text says. */
  public static Reference of(String text) {
    int colon = text.indexOf(':');
    return colon < 0
        ? new Reference(text, null)
        : new Reference(text.substring(0, colon), text.substring(colon + 1));
  }

  /** The tag that is meant where the base is a name. */
  public String tagOrDefault() {
    return tag == null ? TaggedName.DEFAULT : tag;
  }

  /** Whether it may mean this version, by its name. */
  public boolean names(@Nullable TaggedName version) {
    return version != null
        && base.equals(version.alias())
        && version.tags().contains(tagOrDefault());
  }
}
