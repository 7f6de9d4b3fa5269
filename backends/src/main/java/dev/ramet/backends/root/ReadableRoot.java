// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.root;

import dev.ramet.backends.disk.Disk;
import dev.ramet.backends.disk.Layout;
import dev.ramet.backends.node.NodeIndex;
import dev.ramet.backends.node.Nodes;
import dev.ramet.backends.node.Usages;
import dev.ramet.linux.file.Fd;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.StorageFinding;
import dev.ramet.spi.storage.StorageInspection;
import dev.ramet.spi.storage.Usage;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The read-only part of a root: its nodes, their usage, and inspection. Thread-safe. */
public abstract class ReadableRoot implements StorageBackend, StorageInspection {
  private final Layout layout;
  private final Disk disk;
  private final NodeIndex index;
  private final Nodes nodes;
  private final Set<String> ownNames;
  private final Fd lock;

  /**
   * Creates it from a locked root.
   *
   * @param layout its paths
   * @param disk makes its changes
   * @param index its nodes, as far as they are known already
   * @param ownNames as {@link StorageInspection#ownNames}
   * @param lock keeps others out, until the root is closed
   */
  protected ReadableRoot(Layout layout, Disk disk, NodeIndex index, Set<String> ownNames, Fd lock) {
    this.layout = layout;
    this.disk = disk;
    this.index = index;
    this.nodes = new Nodes(layout, index);
    this.ownNames = Set.copyOf(ownNames);
    this.lock = lock;
  }

  /** Returns the root's paths. */
  protected final Layout layout() {
    return layout;
  }

  /** Returns the object that makes changes to the disk. */
  final Disk disk() {
    return disk;
  }

  /** Returns the nodes of the root, without their locks. */
  public final NodeIndex index() {
    return index;
  }

  /** Returns the nodes of the root. */
  protected final Nodes nodes() {
    return nodes;
  }

  /** Refuses ({@code UNAVAILABLE}) when it is closed. */
  protected final void requireOpen() {
    nodes.requireOpen();
  }

  @Override
  public Optional<Node> find(NodeId id) {
    return nodes.find(id);
  }

  @Override
  public List<Node> list() {
    return nodes.list();
  }

  @Override
  public List<Node> page(@Nullable NodeId after, int limit) {
    return nodes.page(after, limit);
  }

  /** Returns a node's usage by its extents; writes dirty data first, so that they are final. */
  @Override
  public Usage usage(NodeId id) {
    return nodes.use(
        id,
        "find out the usage of " + id,
        entry -> {
          try (Fd fd = Fd.openRead(layout.file(entry.origin(), id))) {
            return Usages.of(fd);
          }
        });
  }

  @Override
  public void inspect(boolean mend, Consumer<StorageFinding> findings) {
    nodes.requireOpen();
    new RootInspection(layout, disk, index, mend, findings).run();
  }

  @Override
  public final Set<String> ownNames() {
    return ownNames;
  }

  @Override
  public void close() {
    nodes.close();
    lock.close();
  }
}
