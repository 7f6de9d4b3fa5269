// SPDX-License-Identifier: Apache-2.0
package com.example.tmpfs;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.storage.Attachment;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.Usage;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Implements the contract in one directory of a tmpfs. This object's lock guards the names. Copies
 * are made without it: callers only ever wait for names.
 */
final class TmpfsBackend implements StorageBackend {
  private final Root root;
  private final Root.Steps steps;
  private final Names names;
  // The used bytes of snapshots, which never change and so are counted once.
  private final Map<NodeId, Long> counted = new HashMap<>();

  private TmpfsBackend(Root root, Root.Steps steps, Names names) {
    this.root = root;
    this.steps = steps;
    this.names = names;
  }

  /** Opens a root, after deleting what a crash left there. */
  static TmpfsBackend open(Path path, Root.Steps steps) {
    Root root = new Root(path, steps);
    boolean done = false;
    try {
      TmpfsBackend opened = new TmpfsBackend(root, steps, new Names(root.open()));
      done = true;
      return opened;
    } catch (IOException e) {
      throw new RametException(
          ErrorCode.HOST_UNFIT,
          "cannot open " + root.directory() + ": " + e,
          "let the host's user read and write it",
          e);
    } finally {
      if (!done) {
        release(root);
      }
    }
  }

  /** Fills a new file. */
  private interface Filling {
    void fill(FileChannel file) throws IOException;
  }

  @Override
  public Node create(NodeId id, long sizeBytes) {
    if (sizeBytes <= 0) {
      throw RametException.invalid("size", "must be positive");
    }
    reserve(id, id);
    return make(new Node(id, Node.Kind.VOLUME, id, sizeBytes), file -> {});
  }

  @Override
  public Node importFrom(NodeId id, Path source) {
    if (!Files.exists(source)) {
      throw RametException.notFound("file", source.toString());
    }
    try (FileChannel from = FileChannel.open(source, StandardOpenOption.READ)) {
      long size = Files.isRegularFile(source) ? from.size() : 0;
      if (size == 0) {
        throw RametException.invalid("source", "must be a file that is not empty: " + source);
      }
      reserve(id, id);
      return make(
          new Node(id, Node.Kind.VOLUME, id, size), file -> Content.copy(from, file, size));
    } catch (IOException e) {
      throw Failures.of("read " + source, root.directory(), e);
    }
  }

  @Override
  public Node snapshot(NodeId volume, NodeId id, Durability durability) {
    Node source;
    synchronized (this) {
      source = names.present(volume);
      reserve(id, source.origin());
    }
    return copy(source, new Node(id, Node.Kind.SNAPSHOT, source.origin(), source.sizeBytes()));
  }

  @Override
  public Node fork(NodeId snapshot, NodeId id, Durability durability) {
    Node source;
    synchronized (this) {
      source = names.present(snapshot);
      if (source.kind() != Node.Kind.SNAPSHOT) {
        throw new RametException(ErrorCode.CONFLICT, "only a snapshot can be forked: " + snapshot);
      }
      reserve(id, id);
    }
    return copy(source, new Node(id, Node.Kind.VOLUME, id, source.sizeBytes()));
  }

  private Node copy(Node source, Node target) {
    return make(
        target,
        file -> {
          try (FileChannel from = FileChannel.open(path(source), StandardOpenOption.READ)) {
            Content.copy(from, file, source.sizeBytes());
          }
        });
  }

  private synchronized void reserve(NodeId id, NodeId origin) {
    names.reserve(id, origin);
  }

  /**
   * Makes a node with a reserved name: under a temporary name first, then atomically under its own.
   */
  private Node make(Node node, Filling filling) {
    Path unfinished = root.unfinished(node.id());
    boolean done = false;
    try {
      steps.before("make");
      Files.createFile(unfinished, PosixFilePermissions.asFileAttribute(Root.WRITABLE));
      try (RandomAccessFile file = new RandomAccessFile(unfinished.toFile(), "rw")) {
        steps.before("fill");
        file.setLength(node.sizeBytes());
        filling.fill(file.getChannel());
      }
      if (node.kind() == Node.Kind.SNAPSHOT) {
        steps.before("seal");
        Files.setPosixFilePermissions(unfinished, Root.SEALED);
      }
      synchronized (this) {
        steps.before("publish");
        Files.move(unfinished, path(node), StandardCopyOption.ATOMIC_MOVE);
        names.put(node);
      }
      done = true;
      return node;
    } catch (IOException e) {
      throw Failures.of("make " + node.id(), root.directory(), e);
    } finally {
      finish(node.id(), unfinished, done);
    }
  }

  private void finish(NodeId id, Path unfinished, boolean done) {
    try {
      if (!done) {
        steps.before("undo");
        Files.deleteIfExists(unfinished);
      }
    } catch (IOException e) {
      // The next opening deletes it.
    } finally {
      synchronized (this) {
        names.release(id);
        notifyAll();
      }
    }
  }

  @Override
  public synchronized Node seal(NodeId volume, Durability durability) {
    Node node = names.present(volume);
    if (node.kind() == Node.Kind.SNAPSHOT) {
      return node;
    }
    try {
      steps.before("seal");
      Files.setPosixFilePermissions(path(node), Root.SEALED);
    } catch (IOException e) {
      throw Failures.of("seal " + volume, root.directory(), e);
    }
    Node sealed = new Node(volume, Node.Kind.SNAPSHOT, node.origin(), node.sizeBytes());
    names.put(sealed);
    return sealed;
  }

  @Override
  public synchronized Attachment attach(NodeId id) {
    Node node = names.present(id);
    return new Attachment.LocalFile(path(node), node.kind() == Node.Kind.SNAPSHOT);
  }

  /** Only checks that the node exists: a tmpfs has no disk to write back to. */
  @Override
  public synchronized void flush(NodeId id) {
    names.present(id);
  }

  @Override
  public synchronized void delete(NodeId id) {
    Node node = names.find(id);
    if (node == null) {
      return;
    }
    try {
      steps.before("delete");
      Files.deleteIfExists(path(node));
    } catch (IOException e) {
      throw Failures.of("delete " + id, root.directory(), e);
    }
    names.remove(id);
    counted.remove(id);
  }

  @Override
  public synchronized Optional<Node> find(NodeId id) {
    return Optional.ofNullable(names.find(id));
  }

  @Override
  public synchronized List<Node> list() {
    return names.list();
  }

  @Override
  public Usage usage(NodeId id) {
    Node node;
    Long known;
    synchronized (this) {
      node = names.present(id);
      known = counted.get(id);
    }
    if (known != null) {
      return new Usage(known, known);
    }
    try (FileChannel file = FileChannel.open(path(node), StandardOpenOption.READ)) {
      long bytes = Content.dataBytes(file, node.sizeBytes());
      synchronized (this) {
        if (node.kind() == Node.Kind.SNAPSHOT && names.has(node)) {
          counted.put(id, bytes);
        }
      }
      return new Usage(bytes, bytes);
    } catch (IOException e) {
      throw Failures.of("look at " + id, root.directory(), e);
    }
  }

  /** Waits for nodes being made, because the next opening of the root would delete them. */
  @Override
  public synchronized void close() {
    boolean interrupted = false;
    while (names.areReserved()) {
      try {
        wait();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (names.close()) {
      release(root);
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static void release(Root root) {
    try {
      root.close();
    } catch (IOException e) {
      throw Failures.of("close", root.directory(), e);
    }
  }

  private Path path(Node node) {
    return root.file(node.id(), node.origin());
  }
}
