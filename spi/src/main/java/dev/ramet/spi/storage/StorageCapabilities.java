// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.storage;

/** Names that storage backends state in {@link dev.ramet.spi.ProbeResult.Usable#capabilities}. */
public final class StorageCapabilities {
  /**
   * A snapshot or fork shares its source's blocks until one of them is written: it costs neither
   * the time nor the space of the bytes in it.
   */
  public static final String COPY_ON_WRITE = "copy-on-write";

  private StorageCapabilities() {}
}
