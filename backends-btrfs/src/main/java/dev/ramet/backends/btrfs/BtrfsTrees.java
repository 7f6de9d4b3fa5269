// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.btrfs;

import static java.lang.System.Logger.Level.WARNING;

import dev.ramet.backends.disk.HostErrors;
import dev.ramet.backends.disk.Steps;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.BtrfsSubvolumes;
import dev.ramet.spi.storage.NodeId;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Subvolumes in one directory. The kernel creates, captures and removes each in one transaction, so
 * only a tree being received can be half-made. There is no index: the directory is the index.
 * Thread-safe: if two calls want the same name, the kernel gives it to one of them.
 */
final class BtrfsTrees {
  private static final System.Logger LOG = System.getLogger(BtrfsTrees.class.getName());

  private final TreeDirectory place;
  private final Receivers receivers;

  private BtrfsTrees(TreeDirectory place) {
    this.place = place;
    this.receivers = new Receivers(place);
  }

  /**
   * Opens the trees under a root and removes what was half-made or half-deleted when the previous
   * process died.
   */
  static BtrfsTrees open(Path root, Steps steps) {
    BtrfsTrees trees = new BtrfsTrees(new TreeDirectory(root, steps));
    trees.receivers.removeAbandoned();
    return trees;
  }

  Receivers receivers() {
    return receivers;
  }

  TreeInspection inspection() {
    return new TreeInspection(place, receivers);
  }

  List<NodeId> list() {
    List<NodeId> ids = new ArrayList<>();
    for (String name : place.list().keySet()) {
      if (NodeId.isValid(name) && isTree(NodeId.of(name))) {
        ids.add(NodeId.of(name));
      } else if (!Receivers.isName(name)) {
        LOG.log(WARNING, "left alone, not a tree: {0}", place.resolve(name));
      }
    }
    Collections.sort(ids);
    return ids;
  }

  private boolean isTree(NodeId id) {
    try {
      return BtrfsSubvolumes.isSubvolume(place.resolve(id.value()));
    } catch (LinuxException e) {
      if (e.errno() == LinuxException.ENOENT) {
        return false;
      }
      throw HostErrors.translate(e, "look at the tree " + id, place.directory());
    }
  }

  Path path(NodeId id) {
    if (!isTree(id)) {
      throw RametException.notFound("tree", id.value());
    }
    return place.resolve(id.value());
  }

  /** Returns the path of a tree that cannot change. */
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
      throw HostErrors.translate(e, "look at the tree " + id, place.directory());
    }
    return path;
  }

  Path create(NodeId id) {
    Path path = place.resolve(id.value());
    place.runInDirectory(
        "make the tree " + id,
        () -> {
          place.steps().before("make tree");
          BtrfsSubvolumes.create(path);
          place.sync();
        });
    return path;
  }

  Path snapshot(Path source, NodeId id, boolean readOnly) {
    Path path = place.resolve(id.value());
    place.runIfPresent(
        "capture the tree " + id,
        () -> {
          place.steps().before("capture tree");
          BtrfsSubvolumes.snapshot(source, path, readOnly);
        });
    return path;
  }

  void delete(NodeId id) {
    if (isTree(id)) {
      place.runIfPresent("delete the tree " + id, () -> destroy(place.resolve(id.value())));
      place.removeIfEmpty();
    }
  }

  private void destroy(Path tree) throws LinuxException {
    place.steps().before("remove tree");
    try {
      BtrfsSubvolumes.destroy(tree);
    } catch (LinuxException e) {
      if (e.errno() != LinuxException.ENOENT) {
        throw e;
      }
      if (!Files.isDirectory(place.directory())) {
        return;
      }
      // Somebody else deleted it, and may be about to make that durable.
    }
    place.sync();
  }
}
