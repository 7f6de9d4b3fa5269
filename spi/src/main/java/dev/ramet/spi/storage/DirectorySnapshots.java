// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.storage;

import java.nio.file.Path;
import java.util.List;

/**
 * A backend that captures whole directory trees at one instant; it states {@link
 * StorageCapabilities#DIRECTORY_SNAPSHOTS}. Trees have a namespace of their own beside the nodes of
 * the same root.
 *
 * <p>Thread-safe. A mutation is durable when the call returns, or has not happened. Errors are
 * those of {@link StorageBackend}.
 */
public interface DirectorySnapshots {
  /** Makes an empty tree that can be written, and returns where it is. */
  Path createTree(NodeId id);

  /**
   * Captures a tree as it is at this instant, whoever writes to it: a file that is being written is
   * captured with what was written before, and no file is newer than another.
   *
   * @param tree a tree of this backend
   * @param readOnly whether the copy is immutable
   * @return where the copy is
   */
  Path snapshotTree(NodeId tree, NodeId id, boolean readOnly);

  /** Deletes a tree with everything in it. Deleting an absent one is a success. */
  void deleteTree(NodeId id);

  /**
   * Where a tree is.
   *
   * @throws dev.ramet.errors.RametException {@code NOT_FOUND} when there is none
   */
  Path treePath(NodeId id);

  /** All trees, sorted by id. */
  List<NodeId> trees();
}
