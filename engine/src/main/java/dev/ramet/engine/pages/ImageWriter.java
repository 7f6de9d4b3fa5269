// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.pages;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.spi.memory.Baseline;
import dev.ramet.spi.storage.Attachment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Writes chunks and holes into one memory image and counts them. Used by one thread at a time. */
final class ImageWriter implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(ImageWriter.class.getName());
  private static final int PAGE = NativeBuffer.PAGE_BYTES;
  private static final int ZEROS_BYTES = 1 << 20;

  private final ImageTarget image;
  private boolean startsAsZeros;
  private final Zeros zeros = new Zeros();
  private @Nullable NativeBuffer zeroMemory;
  private boolean canPunch = true;
  private long writtenBytes;
  private long holeBytes;
  private long sameBytes;

  /** The content of the unwritten parts of the image; null when it is not known. */
  private final @Nullable BasePages base;

  /**
   * Opens an image.
   *
   * @param base the file with the image's current content, used to skip equal pages; null to write
   *     everything
   * @throws RametException {@code CONFLICT} when the attachment is read-only or the image is in
   *     use, {@code HOST_UNFIT} when the image cannot be opened
   */
  ImageWriter(Attachment image, Baseline baseline, @Nullable Path base) {
    this.image = ImageTarget.open(image);
    this.startsAsZeros = baseline == Baseline.NONE;
    this.base = base == null ? null : open(base);
  }

  private static @Nullable BasePages open(Path base) {
    try {
      return BasePages.open(base);
    } catch (LinuxException e) {
      LOG.log(System.Logger.Level.DEBUG, "{0} cannot be compared: {1}", base, e.getMessage());
      return null;
    }
  }

  /**
   * Declares that pages may be written more than once, so that a page of zeros can no longer just
   * be skipped.
   */
  void allowOverwriting() {
    startsAsZeros = false;
  }

  long sizeBytes() {
    return image.sizeBytes();
  }

  /** Returns the name of the image for people. */
  String name() {
    return image.name();
  }

  long writtenBytes() {
    return writtenBytes;
  }

  long holeBytes() {
    return holeBytes;
  }

  /** Returns how many bytes were skipped because the image held them already. */
  long sameBytes() {
    return sameBytes;
  }

  /**
   * Writes the pages of a chunk in runs as long as possible, and makes holes for pages of zeros.
   * Skips pages that the image holds already; used while the machine runs.
   */
  void write(Chunk chunk) {
    write(chunk, base);
  }

  /**
   * Writes a chunk like {@link #write(Chunk)} but without looking for pages to skip; used while the
   * machine is paused, when the search would lengthen the pause.
   */
  void writeAll(Chunk chunk) {
    write(chunk, null);
  }

  private void write(Chunk chunk, @Nullable BasePages known) {
    ByteBuffer view = chunk.view().clear();
    int at = 0;
    for (int run = 0; run < chunk.runs(); run++) {
      int end = at + chunk.lengthBytes(run);
      long shift = chunk.imageOffset(run) - at;
      while (at < end) {
        boolean zero = zeros.isZero(view.clear(), at);
        int to = at + PAGE;
        while (to < end && zeros.isZero(view.clear(), to) == zero) {
          to += PAGE;
        }
        if (zero) {
          hole(shift + at, to - at);
        } else if (known == null) {
          data(chunk.memory(), at, to - at, shift + at);
        } else {
          different(chunk, at, to, shift, known);
        }
        at = to;
      }
    }
  }

  private void different(Chunk chunk, int from, int to, long shift, BasePages known) {
    int begun = from;
    for (int page = from; page < to; page += PAGE) {
      if (known.containsPage(chunk.view(), page, shift + page, to - page)) {
        data(chunk.memory(), begun, page - begun, shift + begun);
        sameBytes += PAGE;
        begun = page + PAGE;
      }
    }
    data(chunk.memory(), begun, to - begun, shift + begun);
  }

  /**
   * Asks the kernel to start writing a part of the image back to its device, so that less remains
   * when the image is made durable; waits while the device is busy. A refusal by the kernel is
   * ignored. May be called by another thread, until {@link #close}.
   */
  void beginWriteBack(long offset, long lengthBytes) {
    image.beginWriteBack(offset, lengthBytes);
  }

  private void data(NativeBuffer from, long bufferOffset, long lengthBytes, long imageOffset) {
    if (lengthBytes == 0) {
      return;
    }
    changed(imageOffset, lengthBytes);
    image.write(from, bufferOffset, lengthBytes, imageOffset);
    writtenBytes += lengthBytes;
  }

  /** Makes a part of the image read as zeros, whatever the baseline has there. */
  void hole(long imageOffset, long lengthBytes) {
    changed(imageOffset, lengthBytes);
    if (startsAsZeros) {
      holeBytes += lengthBytes;
      return;
    }
    if (canPunch) {
      if (image.punchHole(imageOffset, lengthBytes)) {
        holeBytes += lengthBytes;
        return;
      }
      canPunch = false; // Written zeros do as well, but take space.
    }
    NativeBuffer memory = zeroMemory();
    for (long done = 0; done < lengthBytes; done += ZEROS_BYTES) {
      data(memory, 0, Math.min(ZEROS_BYTES, lengthBytes - done), imageOffset + done);
    }
  }

  private void changed(long imageOffset, long lengthBytes) {
    if (base != null) {
      base.markChanged(imageOffset, lengthBytes);
    }
  }

  private NativeBuffer zeroMemory() {
    if (zeroMemory == null) {
      try {
        zeroMemory = NativeBuffer.allocate(ZEROS_BYTES);
      } catch (LinuxException e) {
        throw new RametException(ErrorCode.HOST_UNFIT, "no memory for a page writer", e);
      }
    }
    return zeroMemory;
  }

  @Override
  public void close() {
    image.close();
    if (base != null) {
      base.close();
    }
    if (zeroMemory != null) {
      zeroMemory.close();
    }
  }
}
