// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.copy;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.storage.image.CopyProgress;

/** Reports the progress of a copy and stops it if it is no longer wanted. */
public final class CopyReporter {
  private CopyReporter() {}

  /**
   * Tells.
   *
   * @throws RametException {@code CANCELLED} when the watcher or an interrupt says to stop; the
   *     interrupt stays set
   */
  public static void report(CopyProgress progress, long doneBytes, long totalBytes) {
    boolean wanted = progress.copied(doneBytes, totalBytes);
    if (!wanted || Thread.currentThread().isInterrupted()) {
      throw new RametException(
          ErrorCode.CANCELLED,
          "the copy was stopped after %d of %d MiB".formatted(doneBytes >> 20, totalBytes >> 20));
    }
  }
}
