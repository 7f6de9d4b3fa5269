// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.storage;

import java.util.Set;
import java.util.function.Consumer;

/**
 * Inspects a root while it is in use. A backend that supports this implements it and states {@link
 * StorageFeature#INSPECTION}. Thread-safety and errors are those of {@link StorageBackend}.
 */
public interface StorageInspection {
  /**
   * Compares the files on disk with the existing nodes: whether each node has its file with the
   * right size, and what other files there are. Nodes being created or deleted meanwhile are not
   * findings. Content is not read.
   *
   * @param mend whether to remove leftovers. Nothing else is changed: neither nodes, nor damaged or
   *     foreign files
   * @param findings receives each finding, on the calling thread
   */
  void inspect(boolean mend, Consumer<StorageFinding> findings);

  /** Returns the names in the root's directory under which the backend keeps everything. */
  Set<String> ownNames();
}
