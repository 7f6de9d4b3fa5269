// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.storage;

import java.util.Set;
import java.util.function.Consumer;

/**
 * Looks a root through while it is in use. A backend that can do it implements this and states
 * {@link StorageCapabilities#INSPECTION}. Thread-safety and errors are those of {@link
 * StorageBackend}.
 */
public interface StorageInspection {
  /**
   * Compares what is on disk with the nodes that there are: whether each has its file and is as
   * large as it should be, and what else lies there. What is being made or deleted meanwhile is not
   * a finding. Content is not read.
   *
   * @param mend whether to remove leftovers. Nothing else is changed: neither a node, nor what is
   *     damaged or foreign
   * @param findings told each, on the calling thread
   */
  void inspect(boolean mend, Consumer<StorageFinding> findings);

  /** The names in the root's directory under which the backend keeps everything. */
  Set<String> ownNames();
}
