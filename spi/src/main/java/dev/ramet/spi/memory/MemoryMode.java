// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.memory;

/** Decides which pages of a VM a capture must write. Implementations are thread-safe. */
public interface MemoryMode extends AutoCloseable {
  /**
   * Starts to track a VM's memory.
   *
   * @throws dev.ramet.errors.RametException {@code UNSUPPORTED} if this mode cannot track this
   *     memory, for example because it is not a private mapping of an image
   */
  MemoryTracker attach(GuestMemory memory);

  /** Releases the mode's resources. Idempotent. */
  @Override
  void close();
}
