// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.node;

import dev.ramet.backends.disk.Disk;
import dev.ramet.backends.disk.Layout;
import dev.ramet.backends.root.RootScan;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.file.OpenFlag;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.NodeId;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Creates, seals and removes the files of nodes so that each appears whole or not at all: a node is
 * created under a name that {@link RootScan} discards and gets its final name by one rename.
 *
 * <p>Thread-safe for different nodes; the caller ensures that one node is changed by one thread.
 */
public final class NodeFiles {
  private static final System.Logger LOG = System.getLogger(NodeFiles.class.getName());

  public static final int VOLUME_MODE = 0600;

  /**
   * The sticky bit is the mark. The owner's permission to write would be the more natural one, but
   * QEMU before 8.2 opens a memory image for writing even to map it privately.
   */
  public static final int SNAPSHOT_MODE = 01600;

  public static final int DIRECTORY_MODE = 0700;

  private final Layout layout;

  /**
   * Directories with changes that a power loss would undo, each with the number of its last change:
   * a sync removes the entries it found, not those that came in while it ran.
   */
  private final Map<Path, Long> unsynced = new ConcurrentHashMap<>();

  private final AtomicLong changes = new AtomicLong();

  private final Disk disk;

  /** Creates the files object of a root. */
  public NodeFiles(Layout layout, Disk disk) {
    this.layout = layout;
    this.disk = disk;
  }

  /** Writes the content of a new file. */
  public interface Filler {
    /** Writes it; the length is then the size of the node. */
    void fill(Fd target, Path path) throws LinuxException;
  }

  /** Creates a volume in a new directory and returns its size. */
  public long makeVolume(NodeId id, Filler filler, Durability durability) throws LinuxException {
    Path place = layout.newDirectory(id);
    disk.makeDirectory(place, DIRECTORY_MODE);
    try {
      long size = makeFile(place.resolve(id.value()), VOLUME_MODE, filler, durability);
      disk.renameToNew(place, layout.directory(id));
      place = layout.directory(id);
      changed(place);
      changed(layout.volumes());
      if (durability == Durability.DURABLE) {
        syncNames(id);
      }
      return size;
    } catch (LinuxException | RuntimeException | Error e) {
      Path made = place;
      undo(
          e,
          () -> {
            disk.unlink(made.resolve(id.value()));
            disk.removeDirectory(made);
          });
      throw e;
    }
  }

  /** Makes a snapshot in the directory of its origin and returns its size. */
  public long makeSnapshot(NodeId origin, NodeId id, Filler filler, Durability durability)
      throws LinuxException {
    Path place = layout.newFile(origin, id);
    try {
      long size = makeFile(place, SNAPSHOT_MODE, filler, durability);
      disk.renameToNew(place, layout.file(origin, id));
      place = layout.file(origin, id);
      changed(layout.directory(origin));
      if (durability == Durability.DURABLE) {
        syncNames(origin);
      }
      return size;
    } catch (LinuxException | RuntimeException | Error e) {
      Path made = place;
      undo(e, () -> disk.unlink(made));
      throw e;
    }
  }

  private long makeFile(Path path, int mode, Filler filler, Durability durability)
      throws LinuxException {
    try (Fd fd = disk.makeFile(path, mode)) {
      disk.steps().before("fill");
      filler.fill(fd, path);
      if (durability == Durability.DURABLE) {
        disk.sync(fd);
      }
      return fd.stat().sizeBytes();
    }
  }

  /** Makes a volume immutable in its place. */
  public void seal(NodeId origin, NodeId id, Durability durability) throws LinuxException {
    try (Fd fd = Fd.openRead(layout.file(origin, id))) {
      if (durability == Durability.DURABLE) {
        // First the data: a power loss between the two must not leave a snapshot without it.
        disk.sync(fd);
      }
      disk.chmod(fd, SNAPSHOT_MODE);
      try {
        if (durability == Durability.DURABLE) {
          disk.sync(fd);
          syncNames(origin);
        }
      } catch (LinuxException e) {
        undo(e, () -> disk.chmod(fd, VOLUME_MODE));
        throw e;
      }
    }
  }

  /**
   * Turns a snapshot that is alone in its directory into a volume in a new directory. In between it
   * has a name that {@link RootScan} discards: a crash leaves one of the two, or neither.
   */
  public void reuse(NodeId from, NodeId to) throws LinuxException {
    Path place = layout.newDirectory(to);
    Path file = place.resolve(to.value());
    disk.makeDirectory(place, DIRECTORY_MODE);
    boolean moved = false;
    try (Fd fd = Fd.openRead(layout.file(from, from))) {
      disk.renameToNew(layout.file(from, from), file);
      moved = true;
      disk.chmod(fd, VOLUME_MODE);
      disk.renameToNew(place, layout.directory(to));
    } catch (LinuxException | RuntimeException | Error e) {
      boolean back = moved;
      undo(
          e,
          () -> {
            if (back) {
              try (Fd fd = Fd.openRead(file)) {
                disk.chmod(fd, SNAPSHOT_MODE);
              }
              disk.renameToNew(file, layout.file(from, from));
            }
            disk.removeDirectory(place);
          });
      throw e;
    }
    changed(layout.directory(to));
    changed(layout.volumes());
    try {
      disk.removeDirectory(layout.directory(from));
      unsynced.remove(layout.directory(from));
    } catch (LinuxException e) {
      // The directory is empty, so it is removed when the root is opened again.
      LOG.log(System.Logger.Level.DEBUG, "an empty directory stays", e);
    }
  }

  /** Makes a volume larger in its place. */
  public void grow(NodeId origin, NodeId id, long oldSizeBytes, long newSizeBytes)
      throws LinuxException {
    Path path = layout.file(origin, id);
    try (Fd fd = Fd.open(path, Set.of(OpenFlag.READ, OpenFlag.WRITE, OpenFlag.NO_FOLLOW), 0)) {
      disk.truncate(fd, newSizeBytes);
      try {
        disk.sync(fd);
      } catch (LinuxException e) {
        undo(e, () -> disk.truncate(fd, oldSizeBytes));
        throw e;
      }
    }
  }

  /** Undoes a change. */
  public interface Undo {
    /** Undoes the change. */
    void run() throws LinuxException;
  }

  /** Undoes a change; a failure of that must not hide the original error. */
  public static void undo(Throwable why, Undo undo) {
    try {
      undo.run();
    } catch (LinuxException e) {
      why.addSuppressed(e);
    }
  }

  /** Makes a node's data and its name durable. */
  public void sync(NodeId origin, NodeId id) throws LinuxException {
    try (Fd fd = Fd.openRead(layout.file(origin, id))) {
      disk.sync(fd);
    }
    syncNames(origin);
  }

  /** Takes a node's name away; it is gone then, but a power loss could bring it back. */
  public void unlink(NodeId origin, NodeId id) throws LinuxException {
    disk.unlink(layout.file(origin, id));
    changed(layout.directory(origin));
  }

  /** Makes a removal durable, and removes the directory if that was its last node. */
  public void syncRemoval(NodeId origin) throws LinuxException {
    Path directory = layout.directory(origin);
    if (disk.removeDirectory(directory)) {
      unsynced.remove(directory);
      changed(layout.volumes());
    }
    syncNames(origin);
  }

  private void changed(Path directory) {
    unsynced.put(directory, changes.incrementAndGet());
  }

  private void syncNames(NodeId origin) throws LinuxException {
    syncDirectory(layout.directory(origin));
    syncDirectory(layout.volumes());
  }

  private void syncDirectory(Path directory) throws LinuxException {
    Long seen = unsynced.get(directory);
    if (seen == null) {
      return;
    }
    try {
      disk.syncDirectory(directory);
    } catch (LinuxException e) {
      if (e.errno() != LinuxException.ENOENT) {
        throw e;
      }
      // A concurrent delete of the origin's last node has removed the directory: that removal must
      // now become durable.
      changed(layout.volumes());
    }
    unsynced.remove(directory, seen);
  }
}
