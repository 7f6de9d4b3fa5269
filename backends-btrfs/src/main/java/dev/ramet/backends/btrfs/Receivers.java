// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.btrfs;

import static java.lang.System.Logger.Level.INFO;
import static java.lang.System.Logger.Level.WARNING;

import dev.ramet.backends.disk.HostErrors;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.BtrfsSubvolumes;
import dev.ramet.linux.file.DirectoryReader;
import dev.ramet.linux.file.PathCalls;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The directories that trees are received into, in the same directory as the trees. A receiver is a
 * directory that contains only subvolumes; anything else with such a name is not ours. Thread-safe.
 */
final class Receivers {
  private static final System.Logger LOG = System.getLogger(Receivers.class.getName());
  private static final String PREFIX = ".receive-";
  private static final int DIRECTORY_MODE = 0700;

  private final TreeDirectory place;
  private final Set<Path> inUse = ConcurrentHashMap.newKeySet();

  Receivers(TreeDirectory place) {
    this.place = place;
  }

  /** Returns whether a name has the form of a receiver's name. */
  static boolean isName(String name) {
    return name.startsWith(PREFIX);
  }

  /** Removes the receivers whose process died; leaves everything else alone. */
  void removeAbandoned() {
    place
        .list()
        .forEach(
            (name, type) -> {
              Path path = place.resolve(name);
              if (isName(name) && !isLeftover(path, type)) {
                LOG.log(WARNING, "left alone, not a tree being received: {0}", path);
              } else if (isName(name)) {
                try {
                  discard(path);
                  LOG.log(INFO, "removed, not received completely: {0}", path);
                } catch (RametException e) {
                  // For example, a subvolume inside a received tree prevents its removal; nothing
                  // else needs it.
                  LOG.log(WARNING, "left alone, cannot be removed: " + path, e);
                }
              }
            });
    place.removeIfEmpty();
  }

  /** Returns whether a path is, as far as can be seen, a receiver that nobody uses. */
  boolean isLeftover(Path path, DirectoryReader.Type type) {
    if (type != DirectoryReader.Type.DIRECTORY || isInUse(path)) {
      return false;
    }
    try {
      if (BtrfsSubvolumes.isSubvolume(path)) {
        return false;
      }
      for (String name : TreeDirectory.list(path).keySet()) {
        if (!BtrfsSubvolumes.isSubvolume(path.resolve(name))) {
          return false;
        }
      }
      return true;
    } catch (LinuxException e) {
      if (e.errno() == LinuxException.ENOENT) {
        return false;
      }
      throw HostErrors.translate(e, "look at " + path, place.directory());
    }
  }

  /** Returns whether a tree is being received into a path now. */
  boolean isInUse(Path path) {
    return inUse.contains(path);
  }

  /** Makes one. */
  Path create() {
    Path path = place.resolve(PREFIX + UUID.randomUUID());
    boolean done = false;
    // Registered before it exists and until it is gone: see TreeInspection.
    inUse.add(path);
    try {
      place.runInDirectory(
          "make " + path,
          () -> {
            place.steps().before("make receiver");
            PathCalls.makeDirectory(path, DIRECTORY_MODE);
          });
      done = true;
      return path;
    } finally {
      if (!done) {
        inUse.remove(path);
      }
    }
  }

  /** Returns the one tree that was received. */
  static Path findReceived(Path receiver) {
    List<String> names;
    try {
      names = new ArrayList<>(TreeDirectory.list(receiver).keySet());
    } catch (LinuxException e) {
      throw HostErrors.translate(e, "list " + receiver, receiver);
    }
    if (names.size() != 1) {
      throw new RametException(
          ErrorCode.CONFLICT, "the stream must hold one tree, and it held " + names.size());
    }
    return receiver.resolve(names.get(0));
  }

  /** Removes a receiver with its content. */
  void discard(Path receiver) {
    try {
      place.runIfPresent(
          "remove " + receiver,
          () -> {
            for (String name : TreeDirectory.list(receiver).keySet()) {
              place.steps().before("remove what was received");
              BtrfsSubvolumes.destroy(receiver.resolve(name));
            }
            place.steps().before("remove receiver");
            PathCalls.removeDirectory(receiver);
          });
      place.removeIfEmpty();
    } finally {
      inUse.remove(receiver);
    }
  }
}
