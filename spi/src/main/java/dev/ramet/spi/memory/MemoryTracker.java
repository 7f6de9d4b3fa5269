// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.memory;

/**
 * Knows which pages of one VM differ from a baseline. Used by one thread at a time.
 *
 * <p>The sequence of a capture is: {@link #baseline} before the pause; {@link #select} while the VM
 * is paused; the caller reads those pages; {@link #committed} while the VM is still paused.
 */
public interface MemoryTracker extends AutoCloseable {
  /** Returns the baseline of the next selection. */
  Baseline baseline();

  /**
   * Returns the pages that differ from the baseline, and possibly more. The VM must be paused.
   *
   * @param memory the memory as it is mapped now
   */
  PageRanges select(GuestMemory memory);

  /**
   * Confirms that the selected pages were read; called before the VM runs again. The next selection
   * is relative to this capture, if the mode supports that.
   */
  void committed();

  /** Stops tracking and leaves the VM's process as it was found. Idempotent. */
  @Override
  void close();
}
