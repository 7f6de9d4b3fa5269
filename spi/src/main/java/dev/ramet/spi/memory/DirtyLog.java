// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.memory;

/**
 * A hypervisor's record of the pages that were written, by the guest or by its devices. It begins
 * with the machine's first instruction and counts every write from then on. One tracker at a time
 * drains it. Thread-safe; works while the machine runs and while it is paused.
 */
public interface DirtyLog {
  /** The mark of the machine's start, before its first instruction. */
  long START = 0;

  /** The mark of a driver that does not know when the log was drained last. */
  long UNKNOWN = -1;

  /**
   * The pages that were written in some time.
   *
   * @param since where this time begins: {@link #START}, the {@code until} of an earlier result, or
   *     {@link #UNKNOWN}. A tracker that does not know this mark has missed pages
   * @param until where it ends, a mark that no other result has
   * @param pages the pages, as ranges to copy
   */
  record Drained(long since, long until, PageRanges pages) {}

  /**
   * Returns the pages written since the last call, and possibly more, and begins anew. A page
   * written during the call is in this result or in the next one. For a paused machine the result
   * is complete.
   *
   * @throws dev.ramet.errors.RametException {@code HYPERVISOR_FAILED}; the next result then begins
   *     at {@link #UNKNOWN}
   */
  Drained drain();
}
