// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.exchange;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.storage.image.CopyProgress;

/**
 * Measures the progress of several files that are each copied and read: each of the two counts as
 * half. Used by one thread.
 */
public final class Meter {
  private final long totalBytes;
  private final CopyProgress told;
  // Twice the progress, because copying and reading each count as half.
  private long doneTwice;

  /**
   * Creates a meter.
   *
   * @param totalBytes the sum of the files' sizes
   * @param told receives the progress, and may stop the work
   */
  public Meter(long totalBytes, CopyProgress told) {
    this.totalBytes = totalBytes;
    this.told = told;
  }

  /**
   * Adds bytes that were copied or read.
   *
   * @throws RametException {@code CANCELLED} if the work is to stop
   */
  public void add(long bytes) {
    doneTwice += bytes;
    tell();
  }

  /** Returns the progress to pass to a backend that copies a file of this size. */
  public CopyProgress copying(long sizeBytes) {
    long before = doneTwice;
    return (doneBytes, total) -> {
      doneTwice = before + Math.min(doneBytes, sizeBytes);
      return goesOn();
    };
  }

  /**
   * Reports the progress again, and checks for cancellation before a step that cannot be undone.
   */
  public void tell() {
    if (!goesOn()) {
      throw new RametException(ErrorCode.CANCELLED, "the operation was stopped before it was done");
    }
  }

  private boolean goesOn() {
    return !Thread.currentThread().isInterrupted()
        && told.copied(Math.min(doneTwice / 2, totalBytes), totalBytes);
  }
}
