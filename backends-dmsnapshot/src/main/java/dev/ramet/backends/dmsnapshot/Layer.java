// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.dmsnapshot;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A layer, as its file's name tells it.
 *
 * @param id its number, never used again
 * @param generation how often its file was replaced by one with the same content
 * @param parent the layer it differs from, or {@link #NONE} when it is an image by itself
 */
record Layer(long id, int generation, long parent) {
  /** No layer. */
  static final long NONE = 0;

  private static final Pattern NAME =
      Pattern.compile("([1-9][0-9]{0,17})\\.([0-9]{1,9})\\.(?:flat|on\\.([1-9][0-9]{0,17}))");

  /** The layer that a file's name means; null when it means none. */
  static @Nullable Layer parse(String fileName) {
    Matcher matcher = NAME.matcher(fileName);
    if (!matcher.matches()) {
      return null;
    }
    String parent = matcher.group(3);
    return new Layer(
        Long.parseLong(matcher.group(1)),
        Integer.parseInt(matcher.group(2)),
        parent == null ? NONE : Long.parseLong(parent));
  }

  boolean isFlat() {
    return parent == NONE;
  }

  String fileName() {
    return id + "." + generation + (isFlat() ? ".flat" : ".on." + parent);
  }
}
