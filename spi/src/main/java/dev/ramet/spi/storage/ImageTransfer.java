// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.storage;

import dev.ramet.spi.storage.image.CopyProgress;
import dev.ramet.spi.storage.image.ImageFormat;
import java.nio.file.Path;

/**
 * A backend that imports and exports image files with their holes, with progress reports and
 * cancellation; it states {@link StorageFeature#IMAGE_TRANSFER}. Thread-safety and errors are those
 * of {@link StorageBackend}, with {@code CANCELLED} for a copy that was stopped.
 */
public interface ImageTransfer {
  /**
   * Creates a volume with the content of an image file. Durable.
   *
   * @throws dev.ramet.errors.RametException {@code INVALID_ARGUMENT} if the source is not an image
   *     of that format, {@code UNSUPPORTED} if the backend does not read the format or the image is
   *     not plain (encrypted, in several files), {@code HOST_UNFIT} if a program that reads the
   *     format is missing
   */
  Node importFrom(NodeId id, Path source, ImageFormat format, CopyProgress progress);

  /**
   * Writes a node's content to a new sparse raw file that only its owner can read. Durable. The
   * caller ensures that nobody writes a volume meanwhile. The file appears whole or not at all.
   *
   * @param target a free name ({@code ALREADY_EXISTS} otherwise) in an existing directory ({@code
   *     NOT_FOUND} otherwise)
   */
  void exportTo(NodeId id, Path target, CopyProgress progress);
}
