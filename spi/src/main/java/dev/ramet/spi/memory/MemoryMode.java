// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.memory;

/** A rule about which pages a capture must write. Implementations are thread-safe. */
public interface MemoryMode extends AutoCloseable {
  /**
   * Starts to track a VM's memory.
   *
   * @throws dev.ramet.errors.RametException {@code UNSUPPORTED} when this memory cannot be tracked
   *     by this mode (for example because it is not a private mapping of an image)
   */
  MemoryTracker attach(GuestMemory memory);

  /** Gives up what the mode holds. Idempotent. */
  @Override
  void close();
}
