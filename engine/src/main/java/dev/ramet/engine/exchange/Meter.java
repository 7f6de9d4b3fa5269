// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.exchange;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.storage.CopyProgress;

/**
 * How far several files have come that are each copied and read: a file counts once when both are
 * done. Used by one thread.
 */
public final class Meter {
  private final long totalBytes;
  private final CopyProgress told;
  // Copying and reading each count a half.
  private long doneTwice;

  /**
   * Begins.
   *
   * @param totalBytes the sizes of all files
   * @param told whom to tell, and who may stop it
   */
  public Meter(long totalBytes, CopyProgress told) {
    this.totalBytes = totalBytes;
    this.told = told;
  }

  /**
   * So much more was copied, or read.
   *
   * @throws RametException {@code CANCELLED} when it is to stop
   */
  public void add(long bytes) {
    doneTwice += bytes;
    tell();
  }

  /** What watches a backend that copies a file of this size. */
  public CopyProgress copying(long sizeBytes) {
    long before = doneTwice;
    return (doneBytes, total) -> {
      doneTwice = before + Math.min(doneBytes, sizeBytes);
      return goesOn();
    };
  }

  /** Tells once more how far it is: for before a step after which there is no way back. */
  public void tell() {
    if (!goesOn()) {
      throw new RametException(ErrorCode.CANCELLED, "it was stopped before it was done");
    }
  }

  private boolean goesOn() {
    return !Thread.currentThread().isInterrupted()
        && told.copied(Math.min(doneTwice / 2, totalBytes), totalBytes);
  }
}
