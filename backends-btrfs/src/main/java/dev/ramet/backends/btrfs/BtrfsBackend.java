// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.btrfs;

import dev.ramet.backends.SharingBackend;
import dev.ramet.linux.LinuxException;
import dev.ramet.spi.storage.DirectorySnapshots;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageFinding;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * A backend with nodes as files, and directory trees as subvolumes in the same root. Thread-safe.
 */
class BtrfsBackend extends SharingBackend implements DirectorySnapshots {
  /** The names in a root, apart from its id. */
  static final Set<String> OWN_NAMES = Set.of("volumes", "trees");

  private final BtrfsTrees trees;

  BtrfsBackend(Opened root, BtrfsTrees trees) throws LinuxException {
    super(root, OWN_NAMES);
    this.trees = trees;
  }

  /** Returns the trees, for calls on an open backend. */
  final BtrfsTrees openTrees() {
    requireOpen();
    return trees;
  }

  @Override
  public Path createTree(NodeId id) {
    return openTrees().create(id);
  }

  @Override
  public Path snapshotTree(NodeId tree, NodeId id, boolean readOnly) {
    return openTrees().snapshot(trees.path(tree), id, readOnly);
  }

  @Override
  public void deleteTree(NodeId id) {
    openTrees().delete(id);
  }

  @Override
  public Path treePath(NodeId id) {
    return openTrees().path(id);
  }

  @Override
  public List<NodeId> trees() {
    return openTrees().list();
  }

  @Override
  public void inspect(boolean mend, Consumer<StorageFinding> findings) {
    super.inspect(mend, findings);
    trees.inspection().run(mend, findings);
  }
}
