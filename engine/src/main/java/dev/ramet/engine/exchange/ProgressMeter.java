// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.exchange;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.storage.image.CopyProgress;

/**
 * Measures the progress of several files that are each copied and read: each of the two counts as
 * half. Used by one thread.
 */
public final class ProgressMeter {
  private final long totalBytes;
  private final CopyProgress progress;
  // Twice the progress, because copying and reading each count as half.
  private long doneTwice;

  /**
   * Creates a meter.
   *
   * @param totalBytes the sum of the files' sizes
   * @param told receives the progress, and may stop the work
   */
  public ProgressMeter(long totalBytes, CopyProgress told) {
    this.totalBytes = totalBytes;
    this.progress = told;
  }

  /**
   * Adds bytes that were copied or read.
   *
   * @throws RametException {@code CANCELLED} if the work is to stop
   */
  public void add(long bytes) {
    doneTwice += bytes;
    report();
  }

  /** Returns the progress to pass to a backend that copies a file of this size. */
  public CopyProgress copying(long sizeBytes) {
    long before = doneTwice;
    return (doneBytes, total) -> {
      doneTwice = before + Math.min(doneBytes, sizeBytes);
      return mayContinue();
    };
  }

  /**
   * Reports the progress again, and checks for cancellation before a step that cannot be undone.
   */
  public void report() {
    if (!mayContinue()) {
      throw new RametException(ErrorCode.CANCELLED, "the operation was stopped before it was done");
    }
  }

  private boolean mayContinue() {
    return !Thread.currentThread().isInterrupted()
        && progress.copied(Math.min(doneTwice / 2, totalBytes), totalBytes);
  }
}
