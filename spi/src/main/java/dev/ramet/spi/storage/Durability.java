// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.storage;

/** When a mutation survives a power loss. It always survives the death of this process. */
public enum Durability {
  /** On return: file and directory are synced. */
  DURABLE,
  /**
   * After a later {@link StorageBackend#flush}: for work during a VM's pause, and for nodes that
   * are worthless after a power loss.
   */
  RELAXED
}
