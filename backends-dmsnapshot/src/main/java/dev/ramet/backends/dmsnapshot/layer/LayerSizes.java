// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.dmsnapshot.layer;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import java.util.HashMap;
import java.util.Map;

/**
 * The sizes of layers, in bytes, each read once. Not thread-safe: the {@link LayerStore} guards it.
 */
final class LayerSizes {
  private final LayerFiles files;
  private final LayerTable table;
  private final Map<Long, Long> known = new HashMap<>();

  LayerSizes(LayerFiles files, LayerTable table) {
    this.files = files;
    this.table = table;
  }

  long of(Layer layer) throws LinuxException {
    Long before = known.get(layer.id());
    if (before != null) {
      return before;
    }
    long size;
    if (layer.isFlat()) {
      try (Fd file = files.open(layer, false)) {
        size = file.stat().sizeBytes();
      }
    } else {
      size = layer.grownBytes() > 0 ? layer.grownBytes() : of(table.layer(layer.parent()));
    }
    known.put(layer.id(), size);
    return size;
  }

  void set(long id, long sizeBytes) {
    known.put(id, sizeBytes);
  }

  void forget(long id) {
    known.remove(id);
  }
}
