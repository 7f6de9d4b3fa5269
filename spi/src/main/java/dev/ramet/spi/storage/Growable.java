// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.storage;

/**
 * A backend whose volumes can grow; it states {@link StorageFeature#GROW}. Thread-safety,
 * durability and errors are those of {@link StorageBackend}.
 */
public interface Growable {
  /**
   * Enlarges a volume; the added part reads as zeros. Durable. Snapshots of it keep their size. The
   * volume must not be attached, because a user that has it attached would not notice the new size.
   *
   * @param newSizeBytes at least the present size; if equal, nothing happens
   * @return the node with its new size
   * @throws dev.ramet.errors.RametException {@code CONFLICT} for a snapshot, {@code
   *     INVALID_ARGUMENT} for a size that is smaller than the present one or that the host cannot
   *     represent
   */
  Node grow(NodeId volume, long newSizeBytes);
}
