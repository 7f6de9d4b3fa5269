// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.storage;

import dev.ramet.spi.memory.MemorySource;

/**
 * A backend whose images are kept elsewhere and are fetched to this host piece by piece, as they
 * are read; it states {@link StorageFeature#REMOTE_IMAGES}. A machine can then start from a
 * snapshot that has not been fetched. A piece that cannot be fetched is never replaced by zeros:
 * its reader waits or gets an error.
 *
 * <p>Thread-safe. Errors are those of {@link StorageBackend}, with {@code UNAVAILABLE} if the place
 * where images are kept cannot be reached.
 */
public interface RemoteImages {
  /**
   * Returns the fault handler that fills the memory of machines restored from a snapshot. Valid
   * until the snapshot is deleted, and for machines that are connected even longer.
   *
   * @param snapshot a sealed memory image
   * @throws dev.ramet.errors.RametException {@code CONFLICT} for a volume, whose content may still
   *     change
   */
  MemorySource.FaultHandler attachMemory(NodeId snapshot);

  /**
   * Fetches a part of a node, so that reading it later does not wait. Returns once it is here. What
   * is here already costs nothing. A hint that affects only speed: it may be given up again when
   * space is needed.
   *
   * @param offset the first byte, at least 0
   * @param lengthBytes the length, at least 0; a part beyond the end of the node is ignored
   */
  void prefetch(NodeId id, long offset, long lengthBytes);

  /**
   * Returns how many of a node's bytes can be read without waiting for the place where images are
   * kept. Holes count as soon as they are known to be holes. Grows with every read and {@link
   * #prefetch} of bytes that were not here, and is never more than the node's size.
   */
  long residentBytes(NodeId id);
}
