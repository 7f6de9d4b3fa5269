// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.memory;

/**
 * A tracker that can also report written pages while the VM runs. Most pages can then be copied
 * before the pause, and only the pages written again remain to be copied during it. Used by one
 * thread at a time.
 *
 * <p>The sequence of a capture is: {@link #startOver}; any number of rounds of {@link
 * #selectRunning}, a copy of those pages and {@link #copied}; then {@link #select} and {@link
 * #committed} as with any tracker. A capture that fails may end after any of these calls.
 */
public interface LiveTracker extends MemoryTracker {
  /**
   * Begins a capture with a new image: pages copied to another image since the last {@link
   * #committed} are selected again. May be called at any time and repeatedly.
   */
  void startOver();

  /**
   * Returns the pages that differ from the baseline, and possibly more, without the pages of
   * earlier rounds that were not written since. The VM runs: a page written from this call on, even
   * before it was copied, is selected again by a later call.
   *
   * @param memory the memory as it is mapped now
   * @throws dev.ramet.errors.RametException as {@link #select}
   */
  PageRanges selectRunning(GuestMemory memory);

  /**
   * Confirms that every page of the last {@link #selectRunning} was copied after that call. Until
   * {@link #startOver}, such a page is selected again only if it is written.
   */
  void copied();
}
