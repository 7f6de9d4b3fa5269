// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.storage;

import java.nio.file.Path;
import java.util.List;

/**
 * A backend that captures whole directory trees at one instant; it states {@link
 * StorageFeature#DIRECTORY_SNAPSHOTS}. Trees have their own namespace, separate from that of the
 * root's nodes.
 *
 * <p>Thread-safe. A mutation is durable when the call returns, or has not happened. Errors are
 * those of {@link StorageBackend}.
 */
public interface DirectorySnapshots {
  /** Creates an empty writable tree and returns its path. */
  Path createTree(NodeId id);

  /**
   * Captures a tree as it is at this instant, even while it is written: a file being written is
   * captured with what was written before, and no file is newer than another.
   *
   * @param tree a tree of this backend
   * @param readOnly whether the copy is immutable
   * @return the path of the copy
   */
  Path snapshotTree(NodeId tree, NodeId id, boolean readOnly);

  /** Deletes a tree with everything in it. Deleting an absent tree is a success. */
  void deleteTree(NodeId id);

  /**
   * Returns the path of a tree.
   *
   * @throws dev.ramet.errors.RametException {@code NOT_FOUND} if there is no such tree
   */
  Path treePath(NodeId id);

  /** Returns all trees, sorted by id. */
  List<NodeId> trees();
}
