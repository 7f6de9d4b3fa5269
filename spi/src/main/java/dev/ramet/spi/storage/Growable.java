// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.storage;

/**
 * A backend whose volumes can grow; it states {@link StorageCapabilities#GROW}. Thread-safety,
 * durability and errors are those of {@link StorageBackend}.
 */
public interface Growable {
  /**
   * Makes a volume larger; what is added reads as zeros. Durable. Snapshots of it keep their size.
   * Nobody may have it attached, as they would not learn of it.
   *
   * @param newSizeBytes at least the present size, at which nothing happens
   * @return the node as it is now
   * @throws dev.ramet.errors.RametException {@code CONFLICT} for a snapshot, {@code
   *     INVALID_ARGUMENT} for a size that is smaller than the present one or that the host cannot
   *     represent
   */
  Node grow(NodeId volume, long newSizeBytes);
}
