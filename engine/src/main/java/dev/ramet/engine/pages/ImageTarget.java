// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.pages;

import dev.ramet.errors.RametException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.spi.storage.Attachment;

/**
 * A memory image that is open for writing. Errors are {@link RametException}s that name the image.
 * Used by one thread at a time, except for {@link #beginWriteBack}.
 */
interface ImageTarget extends AutoCloseable {
  /**
   * Opens an image that nobody else uses.
   *
   * @throws RametException {@code CONFLICT} when the attachment is read-only or the image is in
   *     use, {@code HOST_UNFIT} when the image cannot be opened, {@code UNSUPPORTED} when it is
   *     reached in a way that only machines know
   */
  static ImageTarget open(Attachment image) {
    return image.kind() == Attachment.Kind.NBD && image instanceof Attachment.Socket socket
        ? NbdImage.open(socket)
        : ImageFile.open(image);
  }

  /** Returns the name of the image for people. */
  String name();

  /** Returns its size. */
  long sizeBytes();

  /** Writes a part of a buffer. */
  void write(NativeBuffer from, long bufferOffset, long lengthBytes, long imageOffset);

  /**
   * Makes a part of the image read as zeros without writing them.
   *
   * @return false if it cannot; then nothing has changed, and it never can
   */
  boolean punchHole(long imageOffset, long lengthBytes);

  /** Asks for a part to be written back early. A refusal is ignored. */
  void beginWriteBack(long imageOffset, long lengthBytes);

  @Override
  void close();
}
