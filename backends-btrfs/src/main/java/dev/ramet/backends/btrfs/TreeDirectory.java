// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.btrfs;

import dev.ramet.backends.disk.Disk;
import dev.ramet.backends.disk.HostErrors;
import dev.ramet.backends.disk.Steps;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.BtrfsSubvolumes;
import dev.ramet.linux.file.DirectoryReader;
import dev.ramet.linux.file.PathCalls;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * The directory that trees are stored in. It is created with the first tree and removed with the
 * last, and never while an operation runs in it. Thread-safe, for one process at a time.
 */
final class TreeDirectory {
  private static final int DIRECTORY_MODE = 0700;

  private final Path directory;
  private final Steps steps;

  /** Held for reading while the directory must stay, for writing while it is removed. */
  private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();

  TreeDirectory(Path root, Steps steps) {
    this.directory = root.toAbsolutePath().normalize().resolve("trees");
    this.steps = steps;
  }

  Path directory() {
    return directory;
  }

  Path resolve(String name) {
    return directory.resolve(name);
  }

  /** Returns its entries in the order of their names; empty if it does not exist. */
  NavigableMap<String, DirectoryReader.Type> list() {
    try {
      // Something else of that name is nothing that trees are in.
      return Files.isDirectory(directory) ? list(directory) : new TreeMap<>();
    } catch (LinuxException e) {
      throw HostErrors.translate(e, "list the trees", directory);
    }
  }

  /** Returns the entries of a directory; empty if it does not exist. */
  static NavigableMap<String, DirectoryReader.Type> list(Path directory) throws LinuxException {
    NavigableMap<String, DirectoryReader.Type> names = new TreeMap<>();
    try (DirectoryReader reader = new DirectoryReader()) {
      reader.read(directory, names::put);
    } catch (LinuxException e) {
      if (e.errno() != LinuxException.ENOENT) {
        throw e;
      }
    }
    return names;
  }

  /** An operation in the directory. */
  @FunctionalInterface
  interface Action {
    void run() throws LinuxException;
  }

  /** Makes it if it is not there, and does something in it. */
  void runInDirectory(String doing, Action change) {
    boolean done = false;
    try {
      runIfPresent(
          doing,
          () -> {
            makeDirectory();
            change.run();
          });
      done = true;
    } finally {
      if (!done) {
        removeIfEmpty();
      }
    }
  }

  private void makeDirectory() throws LinuxException {
    if (Files.isDirectory(directory)) {
      return;
    }
    try {
      new Disk(steps).makeDirectory(directory, DIRECTORY_MODE);
    } catch (LinuxException e) {
      // If two calls create the first tree, one of them creates the directory.
      if (e.errno() != LinuxException.EEXIST) {
        throw e;
      }
    }
  }

  /** Runs an operation in the directory, if it exists; the directory stays meanwhile. */
  void runIfPresent(String doing, Action change) {
    runLocked(lock.readLock(), doing, change);
  }

  /** Removes it, unless something is in it. */
  void removeIfEmpty() {
    runLocked(
        lock.writeLock(),
        "remove " + directory,
        () -> {
          if (Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
            steps.before("remove directory");
            PathCalls.removeDirectory(directory);
          }
        });
  }

  /** Makes all that was done in it survive a power loss; while it stays. */
  void sync() throws LinuxException {
    BtrfsSubvolumes.sync(directory);
  }

  Steps steps() {
    return steps;
  }

  private void runLocked(Lock held, String doing, Action change) {
    held.lock();
    try {
      change.run();
    } catch (LinuxException e) {
      Path parent = directory.getParent();
      throw HostErrors.translate(e, doing, parent != null ? parent : directory);
    } finally {
      held.unlock();
    }
  }
}
