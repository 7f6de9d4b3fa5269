// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.dmsnapshot.layer;

import dev.ramet.linux.LinuxException;
import dev.ramet.spi.storage.Usage;

/** Adds up the space that a stack of layers takes on disk. */
final class LayerUsage {
  private LayerUsage() {}

  /** Returns the space of a stack, and the part of it that has no other user. */
  static Usage of(LayerFiles files, LayerTable table, long top) throws LinuxException {
    long exclusive = 0;
    long referenced = 0;
    boolean alone = true;
    for (Layer layer : table.stack(top)) {
      long bytes = files.allocatedBytes(layer);
      // The header of a store holds none of the node's data.
      bytes -= layer.isFlat() ? 0 : Math.min(bytes, CowStore.CHUNK_BYTES);
      alone &= table.users(layer.id()) == 1;
      referenced += bytes;
      exclusive += alone ? bytes : 0;
    }
    return new Usage(exclusive, referenced);
  }
}
