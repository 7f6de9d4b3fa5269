// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends;

import dev.ramet.linux.Fd;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.PathCalls;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.NodeId;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Makes, seals and removes the files of nodes so that each appears whole or not at all: a node is
 * made under a name that {@link RootScan} discards and gets its own name by one rename.
 *
 * <p>Thread-safe for different nodes; who calls sees to it that one node is changed by one thread.
 */
final class NodeFiles {
  private static final int VOLUME_MODE = 0600;
  private static final int SNAPSHOT_MODE = 0400;
  private static final int DIRECTORY_MODE = 0700;

  private final Layout layout;

  /**
   * Directories with changes that a loss of power would undo, each with the number of its last
   * change: a sync strikes out what it found, not what came in while it ran.
   */
  private final Map<Path, Long> unsynced = new ConcurrentHashMap<>();

  private final AtomicLong changes = new AtomicLong();

  NodeFiles(Layout layout) {
    this.layout = layout;
  }

  /** Writes the content of a new file. */
  interface Filler {
    void fill(Fd target) throws LinuxException;
  }

  /** Makes a volume in a directory of its own and returns its size. */
  long makeVolume(NodeId id, Filler filler, Durability durability) throws LinuxException {
    Path place = layout.newDirectory(id);
    PathCalls.makeDirectory(place, DIRECTORY_MODE);
    try {
      long size = makeFile(place.resolve(id.value()), VOLUME_MODE, filler, durability);
      PathCalls.renameToNew(place, layout.directory(id));
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
            PathCalls.unlink(made.resolve(id.value()));
            PathCalls.removeDirectory(made);
          });
      throw e;
    }
  }

  /** Makes a snapshot in the directory of its origin and returns its size. */
  long makeSnapshot(NodeId origin, NodeId id, Filler filler, Durability durability)
      throws LinuxException {
    Path place = layout.newFile(origin, id);
    try {
      long size = makeFile(place, SNAPSHOT_MODE, filler, durability);
      PathCalls.renameToNew(place, layout.file(origin, id));
      place = layout.file(origin, id);
      changed(layout.directory(origin));
      if (durability == Durability.DURABLE) {
        syncNames(origin);
      }
      return size;
    } catch (LinuxException | RuntimeException | Error e) {
      Path made = place;
      undo(e, () -> PathCalls.unlink(made));
      throw e;
    }
  }

  private static long makeFile(Path path, int mode, Filler filler, Durability durability)
      throws LinuxException {
    try (Fd fd = Fd.createNew(path, mode)) {
      filler.fill(fd);
      if (durability == Durability.DURABLE) {
        fd.fsync();
      }
      return fd.stat().sizeBytes();
    }
  }

  /** Makes a volume immutable in its place. */
  void seal(NodeId origin, NodeId id, Durability durability) throws LinuxException {
    try (Fd fd = Fd.openRead(layout.file(origin, id))) {
      if (durability == Durability.DURABLE) {
        // First the data: a loss of power between the two must not leave a snapshot without it.
        fd.fsync();
      }
      fd.chmod(SNAPSHOT_MODE);
      try {
        if (durability == Durability.DURABLE) {
          fd.fsync();
          syncNames(origin);
        }
      } catch (LinuxException e) {
        undo(e, () -> fd.chmod(VOLUME_MODE));
        throw e;
      }
    }
  }

  private interface Undo {
    void run() throws LinuxException;
  }

  /** Takes back what was done; a failure of that must not hide why. */
  private static void undo(Throwable why, Undo undo) {
    try {
      undo.run();
    } catch (LinuxException e) {
      why.addSuppressed(e);
    }
  }

  /** Makes a node's data and its name durable. */
  void sync(NodeId origin, NodeId id) throws LinuxException {
    try (Fd fd = Fd.openRead(layout.file(origin, id))) {
      fd.fsync();
    }
    syncNames(origin);
  }

  /** Takes a node's name away; it is gone then, but a loss of power could bring it back. */
  void unlink(NodeId origin, NodeId id) throws LinuxException {
    PathCalls.unlink(layout.file(origin, id));
    changed(layout.directory(origin));
  }

  /** Makes a removal durable, and removes the directory if that was its last node. */
  void settleRemoval(NodeId origin) throws LinuxException {
    Path directory = layout.directory(origin);
    if (PathCalls.removeDirectory(directory)) {
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
      Fd.syncDirectory(directory);
    } catch (LinuxException e) {
      if (e.errno() != LinuxException.ENOENT) {
        throw e;
      }
      // Who deleted its last node at the same time took it away: that is what must last now.
      changed(layout.volumes());
    }
    unsynced.remove(directory, seen);
  }
}
