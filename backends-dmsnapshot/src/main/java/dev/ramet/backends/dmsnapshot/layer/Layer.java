// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.dmsnapshot.layer;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A layer, as described by its file's name.
 *
 * @param id its number, never reused
 * @param generation how often its file was replaced by one with the same content
 * @param parent the layer it stands on, or {@link #NONE} for a complete image
 * @param grownBytes the size of a store that is larger than its parent; 0 for all others: an image
 *     has the size of its file, a store that of its parent
 */
public record Layer(long id, int generation, long parent, long grownBytes) {
  /** The highest number; a file name with more digits is not a layer's. */
  static final long MAX_ID = 999_999_999_999_999L;

  /** No layer. */
  static final long NONE = 0;

  private static final Pattern NAME =
      Pattern.compile(
          "([1-9][0-9]{0,14})\\.([0-9]{1,9})\\."
              + "(?:flat|on\\.([1-9][0-9]{0,14})(?:\\.([1-9][0-9]{0,17}))?)");

  /** Returns a new image. */
  static Layer newFlat(long id) {
    return new Layer(id, 0, NONE, 0);
  }

  /** Returns this layer with another size in bytes, or 0 for the size of its parent. */
  Layer grownTo(long bytes) {
    return new Layer(id, generation, parent, bytes);
  }

  /** Returns a new store of the same size as its parent. */
  static Layer newStore(long parent, long id) {
    return new Layer(id, 0, parent, 0);
  }

  /**
   * Returns the layer that a file's name describes, or null if it describes none. A layer's parent
   * is always older and has a lower number, so that every stack ends, whatever the files are named.
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

  public boolean isFlat() {
    return parent == NONE;
  }

  String fileName() {
    String store = ".on." + parent + (grownBytes == 0 ? "" : "." + grownBytes);
    return id + "." + generation + (isFlat() ? ".flat" : store);
  }
}
