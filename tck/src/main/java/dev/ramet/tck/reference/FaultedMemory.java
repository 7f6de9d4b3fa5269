// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference;

import dev.ramet.tck.storage.World;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

/**
 * A machine's memory whose pages are fetched when they are first touched, by the guest or by a
 * reader of the machine's memory. Thread-safe.
 */
class FaultedMemory {
  private final FaultHandlers.Pages source;
  private final Map<Long, byte[]> pages = new HashMap<>();

  FaultedMemory(FaultHandlers.Pages source) {
    this.source = source;
  }

  long sizeBytes() {
    return source.sizeBytes();
  }

  /** Returns how many pages have been touched. */
  synchronized int touched() {
    return pages.size();
  }

  /** Returns the content of a page, which is fetched if nobody has touched it yet. */
  synchronized byte[] page(long imageOffset) {
    return pages.computeIfAbsent(imageOffset, source::page);
  }

  /** Returns the number at the start of the memory. */
  long firstNumber() {
    return ByteBuffer.wrap(page(0), 0, Long.BYTES).getLong();
  }

  /** Returns the number of bytes in a page. */
  static int pageBytes() {
    return World.PAGE;
  }
}
