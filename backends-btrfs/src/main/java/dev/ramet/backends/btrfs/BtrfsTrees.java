// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.btrfs;

import static java.lang.System.Logger.Level.INFO;
import static java.lang.System.Logger.Level.WARNING;

import dev.ramet.api.ErrorCode;
import dev.ramet.api.RametException;
import dev.ramet.backends.HostErrors;
import dev.ramet.linux.BtrfsSubvolumes;
import dev.ramet.linux.DirectoryReader;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.PathCalls;
import dev.ramet.spi.storage.NodeId;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;

/**
 * Subvolumes in one directory. The kernel makes, captures and removes each in one transaction, so
 * there is nothing half-made but what is being received, and no index: the directory is it.
 * Thread-safe: of two that want a name, the kernel lets one have it.
 */
final class BtrfsTrees {
  private static final System.Logger LOG = System.getLogger(BtrfsTrees.class.getName());
  private static final String RECEIVE = ".receive-";
  private static final int DIRECTORY_MODE = 0700;

  private final Path directory;

  private BtrfsTrees(Path directory) {
    this.directory = directory;
  }

  /** Opens what is under a root and removes what was being received when its receiver died. */
  static BtrfsTrees open(Path root) {
    BtrfsTrees trees = new BtrfsTrees(root.toAbsolutePath().normalize().resolve("trees"));
    for (String name : trees.names()) {
      if (name.startsWith(RECEIVE)) {
        LOG.log(INFO, "removed, was not received to its end: {0}", name);
        trees.discard(trees.directory.resolve(name));
      }
    }
    return trees;
  }

  private List<String> names() {
    List<String> names = new ArrayList<>();
    try (DirectoryReader reader = new DirectoryReader()) {
      reader.read(directory, (name, type) -> names.add(name));
    } catch (LinuxException e) {
      // It is made with the first tree.
      if (e.errno() != LinuxException.ENOENT) {
        throw HostErrors.translate(e, "list the trees", directory);
      }
    }
    return names;
  }

  List<NodeId> list() {
    List<NodeId> ids = new ArrayList<>();
    for (String name : names()) {
      if (NodeId.isValid(name) && isTree(NodeId.of(name))) {
        ids.add(NodeId.of(name));
      } else if (!name.startsWith(RECEIVE)) {
        LOG.log(WARNING, "left alone, not a tree: {0}/{1}", directory, name);
      }
    }
    Collections.sort(ids);
    return ids;
  }

  private boolean isTree(NodeId id) {
    try {
      return BtrfsSubvolumes.isSubvolume(directory.resolve(id.value()));
    } catch (LinuxException e) {
      if (e.errno() == LinuxException.ENOENT) {
        return false;
      }
      throw HostErrors.translate(e, "look at the tree " + id, directory);
    }
  }

  Path path(NodeId id) {
    if (!isTree(id)) {
      throw RametException.notFound("tree", id.value());
    }
    return directory.resolve(id.value());
  }

  /** The path of a tree that cannot change. */
  Path immutable(NodeId id) {
    Path path = path(id);
    try {
      if (!BtrfsSubvolumes.isReadOnly(path)) {
        throw new RametException(
            ErrorCode.CONFLICT,
            "only an immutable tree can be sent: " + id,
            "take a read-only snapshot of it first",
            null);
      }
    } catch (LinuxException e) {
      throw HostErrors.translate(e, "look at the tree " + id, directory);
    }
    return path;
  }

  Path create(NodeId id) {
    Path path = directory.resolve(id.value());
    change(
        "make the tree " + id,
        () -> {
          makePlace();
          BtrfsSubvolumes.create(path);
          BtrfsSubvolumes.sync(directory);
        });
    return path;
  }

  Path snapshot(Path source, NodeId id, boolean readOnly) {
    Path path = directory.resolve(id.value());
    change("capture the tree " + id, () -> BtrfsSubvolumes.snapshot(source, path, readOnly));
    return path;
  }

  void delete(NodeId id) {
    if (isTree(id)) {
      change(
          "delete the tree " + id,
          () -> {
            BtrfsSubvolumes.destroy(directory.resolve(id.value()));
            BtrfsSubvolumes.sync(directory);
            // With the last tree goes the place; when it is not the last, it stays.
            PathCalls.removeDirectory(directory);
          });
    }
  }

  /** A directory to receive into, whose content is never taken for a tree. */
  Path receiver() {
    Path path = directory.resolve(RECEIVE + UUID.randomUUID());
    change(
        "make " + path,
        () -> {
          makePlace();
          PathCalls.makeDirectory(path, DIRECTORY_MODE);
        });
    return path;
  }

  /** The one tree that was received. */
  static Path received(Path receiver) {
    List<String> names = new ArrayList<>();
    try (DirectoryReader reader = new DirectoryReader()) {
      reader.read(receiver, (name, type) -> names.add(name));
    } catch (LinuxException e) {
      throw HostErrors.translate(e, "list " + receiver, receiver);
    }
    if (names.size() != 1) {
      throw new RametException(
          ErrorCode.CONFLICT, "the stream must hold one tree, and it held " + names.size());
    }
    return receiver.resolve(names.get(0));
  }

  /** Removes a receiver with what is in it. */
  void discard(Path receiver) {
    change(
        "remove " + receiver,
        () -> {
          List<String> names = new ArrayList<>();
          try (DirectoryReader reader = new DirectoryReader()) {
            reader.read(receiver, (name, type) -> names.add(name));
          }
          for (String name : names) {
            BtrfsSubvolumes.destroy(receiver.resolve(name));
          }
          PathCalls.removeDirectory(receiver);
          PathCalls.removeDirectory(directory);
        });
  }

  private void makePlace() throws LinuxException {
    try {
      PathCalls.makeDirectory(directory, DIRECTORY_MODE);
    } catch (LinuxException e) {
      if (e.errno() != LinuxException.EEXIST) {
        throw e;
      }
    }
  }

  private interface Change {
    void run() throws LinuxException;
  }

  private void change(String doing, Change change) {
    try {
      change.run();
    } catch (LinuxException e) {
      Path parent = directory.getParent();
      throw HostErrors.translate(e, doing, parent != null ? parent : directory);
    }
  }
}
