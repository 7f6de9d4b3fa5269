// SPDX-License-Identifier: Apache-2.0
package com.example.tmpfs;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The files on disk: one directory with one file for each node. A file's name is the node's id and
 * its origin, joined by a character that no id contains; a snapshot's file is read-only. A file is
 * made under a name that starts with a dot, which no id does, and then renamed: a crash leaves
 * complete nodes, and unfinished files that the next opening deletes.
 */
final class Root {
  static final Set<PosixFilePermission> WRITABLE = PosixFilePermissions.fromString("rw-------");
  static final Set<PosixFilePermission> SEALED = PosixFilePermissions.fromString("r--------");

  private static final Set<PosixFilePermission> OWNER = PosixFilePermissions.fromString("rwx------");
  private static final String SEPARATOR = "~";
  private static final String UNFINISHED = ".new" + SEPARATOR;
  private static final String MARKER = ".backend";
  private static final String LOCK = ".lock";
  private static final String MARK = "backend=" + TmpfsProvider.ID + "\nformat=1\n";

  private final Path directory;
  private final Steps steps;
  private FileChannel lock;

  Root(Path root, Steps steps) {
    this.directory = root.toAbsolutePath().normalize().resolve("volumes");
    this.steps = steps;
  }

  /** Called before every change to the disk, so that tests can inject failures. */
  interface Steps {
    void before(String step);
  }

  Path directory() {
    return directory;
  }

  Path unfinished(NodeId id) {
    return directory.resolve(UNFINISHED + id);
  }

  Path file(NodeId id, NodeId origin) {
    return directory.resolve(id + SEPARATOR + origin);
  }

  /** Locks the root for this process, creates it if it is new, and deletes what a crash left. */
  Map<NodeId, Node> open() throws IOException {
    if (!Files.isDirectory(directory)) {
      steps.before("make the directory");
      Files.createDirectory(directory, PosixFilePermissions.asFileAttribute(OWNER));
    }
    Path file = directory.resolve(LOCK);
    if (!Files.exists(file)) {
      steps.before("make the lock");
    }
    lock = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    if (!locked()) {
      throw new RametException(
          ErrorCode.CONFLICT,
          "in use: " + directory,
          "stop the other host, or use another root",
          null);
    }
    claim();
    return scan();
  }

  private boolean locked() throws IOException {
    try {
      FileLock held = lock.tryLock();
      return held != null;
    } catch (OverlappingFileLockException e) {
      return false; // this process itself has it open
    }
  }

  /** Marks the root as this backend's; fails if it belongs to another. */
  private void claim() throws IOException {
    Path marker = directory.resolve(MARKER);
    if (Files.exists(marker)) {
      if (!Files.readString(marker).equals(MARK)) {
        throw new RametException(
            ErrorCode.CONFLICT,
            directory + " was made by another backend, or another version of this one",
            "open it with that one, see " + marker + ", or use another root",
            null);
      }
      return;
    }
    for (String name : names()) {
      if (!name.equals(LOCK) && !name.startsWith(UNFINISHED)) {
        throw new RametException(
            ErrorCode.CORRUPT,
            directory + " is not empty and does not say which backend made it",
            "restore " + marker + ", or use another root",
            null);
      }
    }
    Path made = directory.resolve(UNFINISHED + MARKER);
    steps.before("write the marker");
    Files.writeString(made, MARK);
    steps.before("publish the marker");
    Files.move(made, marker, StandardCopyOption.ATOMIC_MOVE);
  }

  private Map<NodeId, Node> scan() throws IOException {
    Map<NodeId, Node> nodes = new TreeMap<>();
    for (String name : names()) {
      Path file = directory.resolve(name);
      String[] parts = name.split(SEPARATOR, -1);
      if (name.startsWith(UNFINISHED)) {
        steps.before("discard what is unfinished");
        Files.delete(file);
      } else if (parts.length == 2 && NodeId.isValid(parts[0]) && NodeId.isValid(parts[1])) {
        Node node = read(file, NodeId.of(parts[0]), NodeId.of(parts[1]));
        nodes.put(node.id(), node);
      }
      // Unknown files are left alone.
    }
    return nodes;
  }

  private static Node read(Path file, NodeId id, NodeId origin) throws IOException {
    boolean sealed = Files.getPosixFilePermissions(file).equals(SEALED);
    Node.Kind kind = sealed ? Node.Kind.SNAPSHOT : Node.Kind.VOLUME;
    return new Node(id, kind, origin, Files.size(file));
  }

  private List<String> names() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  /** Releases the lock. Changes nothing on disk. */
  void close() throws IOException {
    if (lock != null) {
      lock.close();
    }
  }
}
