// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.memory;

/**
 * A tracker that can also say, while the VM runs, what was written: most pages can then be copied
 * before the pause, which is left with those that were written again. Used by one thread at a time.
 *
 * <p>The sequence of a capture is: {@link #startOver}, any number of rounds of {@link
 * #selectRunning}, a copy of those pages, {@link #copied}; then {@link #select} and {@link
 * #committed} as with any tracker. A capture that fails may end after any of these calls.
 */
public interface LiveTracker extends MemoryTracker {
  /**
   * A capture begins, with an image of its own: whatever was copied to another one since the last
   * {@link #committed} is selected again. May be called at any time, also repeatedly.
   */
  void startOver();

  /**
   * The pages that differ from the baseline and perhaps more, without those of earlier rounds that
   * were not written since. The VM runs: whatever is written from this call on, even before the
   * pages were copied, is selected again by a later one.
   *
   * @param memory the memory as it is mapped now
   * @throws dev.ramet.errors.RametException as {@link #select}
   */
  PageRanges selectRunning(GuestMemory memory);

  /**
   * Every page of the last {@link #selectRunning} was copied after that call: until {@link
   * #startOver}, they are selected again only when they are written.
   */
  void copied();
}
