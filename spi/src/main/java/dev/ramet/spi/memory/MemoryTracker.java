// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.memory;

/**
 * Knows which pages of one VM differ from a baseline. Used by one thread at a time.
 *
 * <p>The sequence of a capture is: {@link #baseline} before the pause, {@link #select} while the VM
 * is paused, the caller reads those pages, {@link #committed} while the VM is still paused.
 */
public interface MemoryTracker extends AutoCloseable {
  /** What the next selection is relative to. */
  Baseline baseline();

  /**
   * The pages that differ from the baseline, and perhaps more. The VM is paused.
   *
   * @param memory the memory as it is mapped now
   */
  PageRanges select(GuestMemory memory);

  /**
   * Called after the selected pages were read and before the VM runs again: the next selection is
   * relative to this capture, if the mode can do that.
   */
  void committed();

  /** Stops tracking and leaves the VM's process as it was found. Idempotent. */
  @Override
  void close();
}
