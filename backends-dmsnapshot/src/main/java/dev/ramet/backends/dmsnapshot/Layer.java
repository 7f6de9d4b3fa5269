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
 * @param grownBytes how large a store that is larger than its parent is; 0 for all others: an image
 *     is as large as its file, a store as what it stands on
 */
record Layer(long id, int generation, long parent, long grownBytes) {
  /** The highest number there is: more digits are no layer's, but somebody else's. */
  static final long MAX_ID = 999_999_999_999_999L;

  /** No layer. */
  static final long NONE = 0;

  private static final Pattern NAME =
      Pattern.compile(
          "([1-9][0-9]{0,14})\\.([0-9]{1,9})\\."
              + "(?:flat|on\\.([1-9][0-9]{0,14})(?:\\.([1-9][0-9]{0,17}))?)");

  /** A new image. */
  static Layer flat(long id) {
    return new Layer(id, 0, NONE, 0);
  }

  /** The same with another size, 0 for that of what it stands on. */
  Layer grownTo(long bytes) {
    return new Layer(id, generation, parent, bytes);
  }

  /** A new store, as large as what it stands on. */
  static Layer on(long parent, long id) {
    return new Layer(id, 0, parent, 0);
  }

  /**
   * The layer that a file's name means; null when it means none. A layer stands on an older one
   * only, whose number is lower: so there is an end to every stack, whatever the files are called.
   */
  static @Nullable Layer parse(String fileName) {
    Matcher matcher = NAME.matcher(fileName);
    if (!matcher.matches()) {
      return null;
    }
    long id = Long.parseLong(matcher.group(1));
    long parent = number(matcher.group(3));
    if (parent >= id) {
      return null;
    }
    return new Layer(id, Integer.parseInt(matcher.group(2)), parent, number(matcher.group(4)));
  }

  private static long number(@Nullable String digits) {
    return digits == null ? 0 : Long.parseLong(digits);
  }

  boolean isFlat() {
    return parent == NONE;
  }

  String fileName() {
    String store = ".on." + parent + (grownBytes == 0 ? "" : "." + grownBytes);
    return id + "." + generation + (isFlat() ? ".flat" : store);
  }
}
