// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.pages;

import dev.ramet.linux.NativeBuffer;
import java.nio.ByteBuffer;

/** Detects pages of zeros. */
final class Zeros {
  private static final int PAGE = NativeBuffer.PAGE_BYTES;

  private final ByteBuffer page = ByteBuffer.allocateDirect(PAGE);

  /**
   * Returns whether the page at {@code offset} is all zeros. Moves the view's position and limit.
   */
  boolean isZero(ByteBuffer view, int offset) {
    // Most pages that are not zero show it in their first bytes.
    if (view.getLong(offset) != 0) {
      return false;
    }
    // mismatch compares whole vectors on every JVM tier.
    return view.limit(offset + PAGE).position(offset).mismatch(page) < 0;
  }
}
