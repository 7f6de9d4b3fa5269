// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.pages;

import dev.ramet.errors.RametException;
import dev.ramet.spi.memory.Baseline;
import dev.ramet.spi.storage.Attachment;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Writes selected pages of paused machines into memory images, for every memory mode. Thread-safe:
 * any number of captures may be open; they share the staging memory.
 */
public final class PageWriter {
  /** The default limit of staging memory per capture, in bytes. */
  public static final long DEFAULT_CAPTURE_BYTES = 64L << 20;

  private final StagingPool pool;
  private final int chunksPerCapture;

  /**
   * Creates a writer.
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
   * Opens a capture and does everything that is possible before the machine is paused, such as
   * waiting for staging memory.
   *
   * @param image a writable image of the memory's size that holds the baseline's content, or only
   *     zeros for {@link Baseline#NONE}
   * @param baseline the content of the image
   * @throws RametException {@code CONFLICT} when the image is read-only or in use, {@code
   *     HOST_UNFIT} when it cannot be opened, {@code CANCELLED} when the thread is interrupted
   */
  public PageCapture open(Attachment image, Baseline baseline) {
    return open(image, baseline, null);
  }

  /**
   * Opens a capture that skips pages the image already holds, as far as they are cheap to find.
   *
   * @param base a file that has the same content as the image now, and does not change; or null
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
