// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference.micro;

import dev.ramet.spi.memory.DirtyLog;
import dev.ramet.spi.memory.PageRanges;

/**
 * The log of a machine's process, which counts how often it is drained and so outlives its driver.
 *
 * @param process the process
 * @param address the address of its memory
 */
record MicroLog(MicroProcess process, long address) implements DirtyLog {
  private static final long PAGE_BYTES = 4096;

  @Override
  public Drained drain() {
    String[] words = process.order("drain").split(" ", -1);
    PageRanges.Builder pages = new PageRanges.Builder();
    for (int i = 2; i < words.length; i++) {
      long offset = Long.parseLong(words[i]) * PAGE_BYTES;
      pages.copy(offset, address + offset, PAGE_BYTES);
    }
    return new Drained(Long.parseLong(words[0]), Long.parseLong(words[1]), pages.build());
  }
}
