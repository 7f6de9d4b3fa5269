// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends;

import dev.ramet.api.ErrorCode;
import dev.ramet.api.RametException;
import dev.ramet.linux.Fd;
import dev.ramet.linux.LinuxException;
import dev.ramet.spi.storage.Attachment;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.StorageFinding;
import dev.ramet.spi.storage.StorageInspection;
import dev.ramet.spi.storage.Usage;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A root that is only looked at, as it is: its nodes are listed and inspected, and leftovers may
 * go. Everything else is refused. Thread-safe.
 *
 * @see dev.ramet.spi.storage.RootExamination
 */
public class ExaminedRoot implements StorageBackend, StorageInspection {
  private final Layout layout;
  private final Disk disk;
  private final NodeIndex index;
  private final Nodes nodes;
  private final Set<String> ownNames;
  private final Fd lock;

  /**
   * Looks at a root for the first time.
   *
   * @param layout where it is
   * @param lock keeps others out
   * @param ownNames as {@link StorageInspection#ownNames}
   */
  protected ExaminedRoot(Layout layout, Fd lock, Set<String> ownNames) throws LinuxException {
    this.layout = layout;
    this.disk = new Disk(Steps.NONE);
    this.index = new NodeIndex();
    this.nodes = new Nodes(layout, index);
    this.ownNames = Set.copyOf(ownNames);
    this.lock = lock;
    RootScan.look(layout, disk, index);
  }

  /**
   * Opens a root of plain files.
   *
   * @param root an existing directory
   * @param id the backend's id
   * @param format the version of its format on disk
   * @param ownNames as {@link StorageInspection#ownNames}
   * @throws RametException as {@link dev.ramet.spi.storage.RootExamination#examine}
   */
  public static ExaminedRoot ofFiles(Path root, String id, int format, Set<String> ownNames) {
    Layout layout = Layout.of(root);
    Fd lock = RootOpening.lockToLook(root, layout, id, format);
    boolean done = false;
    try {
      ExaminedRoot opened = new ExaminedRoot(layout, lock, ownNames);
      done = true;
      return opened;
    } catch (LinuxException e) {
      throw HostErrors.translate(e, "look at the storage root " + root, root);
    } finally {
      if (!done) {
        lock.close();
      }
    }
  }

  /** Where things are. */
  protected final Layout layout() {
    return layout;
  }

  /** The nodes of the root. */
  protected final Nodes nodes() {
    return nodes;
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
  public void delete(NodeId id) {
    nodes.delete(id, new NodeFiles(layout, disk), entry -> {});
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

  @Override
  public Node create(NodeId id, long sizeBytes) {
    throw refused();
  }

  @Override
  public Node importFrom(NodeId id, Path source) {
    throw refused();
  }

  @Override
  public Node snapshot(NodeId volume, NodeId id, Durability durability) {
    throw refused();
  }

  @Override
  public Node fork(NodeId snapshot, NodeId id, Durability durability) {
    throw refused();
  }

  @Override
  public Node seal(NodeId volume, Durability durability) {
    throw refused();
  }

  @Override
  public Attachment attach(NodeId id) {
    throw refused();
  }

  @Override
  public void flush(NodeId id) {
    throw refused();
  }

  private RametException refused() {
    return new RametException(
        ErrorCode.UNSUPPORTED,
        layout.volumes() + " is open to be looked at only",
        "open it by a host: ramet serve",
        null);
  }
}
