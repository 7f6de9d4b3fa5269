// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.pages;

import dev.ramet.errors.RametException;
import dev.ramet.spi.memory.Baseline;
import dev.ramet.spi.storage.Attachment;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Writes selected pages of paused machines into memory images, the same way for every memory mode.
 * Thread-safe: any number of captures may be open; they share the staging memory.
 */
public final class PageWriter {
  /** What one capture may stage, unless the operator says otherwise. */
  public static final long DEFAULT_CAPTURE_BYTES = 64L << 20;

  private final StagingPool pool;
  private final int chunksPerCapture;

  /**
   * A writer.
   *
   * @param pool the staging memory; the caller closes it after the last capture
   * @param maxBytesPerCapture how much of it one capture may hold at once; rounded down to whole
   *     chunks, at least one
   */
  public PageWriter(StagingPool pool, long maxBytesPerCapture) {
    this.pool = pool;
    this.chunksPerCapture =
        (int) Math.max(1, Math.min(Integer.MAX_VALUE, maxBytesPerCapture / Chunk.BYTES));
  }

  /**
   * Prepares a capture: everything that can be done before the machine is paused, such as waiting
   * for staging memory.
   *
   * @param image a writable image of the memory's size that holds the baseline's bytes, or zeros
   *     alone for {@link Baseline#NONE}
   * @param baseline what the image holds
   * @throws RametException {@code CONFLICT} when the image is read-only or in use, {@code
   *     HOST_UNFIT} when it cannot be opened, {@code CANCELLED} when the thread is interrupted
   */
  public PageCapture open(Attachment image, Baseline baseline) {
    return open(image, baseline, null);
  }

  /**
   * Prepares one that leaves out what the image holds already, as far as that is cheap to tell.
   *
   * @param base a file that holds the same bytes as the image now, and keeps them
   */
  public PageCapture open(Attachment image, Baseline baseline, @Nullable Path base) {
    ImageWriter writer = new ImageWriter(image, baseline, base);
    try {
      return new PageCapture(writer, pool, pool.takeAndWarm(chunksPerCapture), chunksPerCapture);
    } catch (RuntimeException e) {
      writer.close();
      throw e;
    }
  }
}
