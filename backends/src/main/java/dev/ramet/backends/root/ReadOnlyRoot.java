// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.root;

import dev.ramet.backends.disk.Disk;
import dev.ramet.backends.disk.HostErrors;
import dev.ramet.backends.disk.Layout;
import dev.ramet.backends.disk.Steps;
import dev.ramet.backends.node.NodeFiles;
import dev.ramet.backends.node.NodeIndex;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import dev.ramet.spi.storage.Attachment;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageInspection;
import java.nio.file.Path;
import java.util.Set;

/**
 * A root opened for examination only: its nodes can be listed and inspected, and leftovers may be
 * deleted. Everything else is refused. Thread-safe.
 *
 * @see dev.ramet.spi.storage.root.RootExamination
 */
public class ReadOnlyRoot extends ReadableRoot {
  /**
   * Looks at a root for the first time.
   *
   * @param layout where it is
   * @param lock keeps others out
   * @param ownNames as {@link StorageInspection#ownNames}
   */
  protected ReadOnlyRoot(Layout layout, Fd lock, Set<String> ownNames) throws LinuxException {
    this(layout, new Disk(Steps.NONE), new NodeIndex(), lock, ownNames);
  }

  private ReadOnlyRoot(Layout layout, Disk disk, NodeIndex index, Fd lock, Set<String> ownNames)
      throws LinuxException {
    super(layout, disk, index, ownNames, lock);
    RootScan.scanReadOnly(layout, disk, index);
  }

  /**
   * Opens a root of plain files.
   *
   * @param root an existing directory
   * @param id the backend's id
   * @param format the version of its format on disk
   * @param ownNames as {@link StorageInspection#ownNames}
   * @throws RametException as {@link dev.ramet.spi.storage.root.RootExamination#examine}
   */
  public static ReadOnlyRoot openFiles(Path root, String id, int format, Set<String> ownNames) {
    return openFiles(root, id, format, (layout, lock) -> new ReadOnlyRoot(layout, lock, ownNames));
  }

  /** Creates the backend that examines a locked root. */
  @FunctionalInterface
  public interface RootFactory<T extends ReadOnlyRoot> {
    /** Makes it; a failure gives up the root. */
    T create(Layout layout, Fd lock) throws LinuxException;
  }

  /** Examines a root that contains more than plain files. */
  public static <T extends ReadOnlyRoot> T openFiles(
      Path root, String id, int format, RootFactory<T> looking) {
    Layout layout = Layout.of(root);
    Fd lock = RootLocks.lockForInspection(root, layout, id, format);
    boolean done = false;
    try {
      T opened = looking.create(layout, lock);
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

  @Override
  public void delete(NodeId id) {
    nodes().delete(id, new NodeFiles(layout(), disk()), entry -> {});
  }

  @Override
  public Node create(NodeId id, long sizeBytes) {
    throw readOnlyError();
  }

  @Override
  public Node importFrom(NodeId id, Path source) {
    throw readOnlyError();
  }

  @Override
  public Node snapshot(NodeId volume, NodeId id, Durability durability) {
    throw readOnlyError();
  }

  @Override
  public Node fork(NodeId snapshot, NodeId id, Durability durability) {
    throw readOnlyError();
  }

  @Override
  public Node seal(NodeId volume, Durability durability) {
    throw readOnlyError();
  }

  @Override
  public Attachment attach(NodeId id) {
    throw readOnlyError();
  }

  @Override
  public void flush(NodeId id) {
    throw readOnlyError();
  }

  private RametException readOnlyError() {
    return new RametException(
        ErrorCode.UNSUPPORTED,
        layout().volumes() + " is only open for inspection",
        "open it with a host: ramet serve",
        null);
  }
}
