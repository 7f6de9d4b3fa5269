// SPDX-License-Identifier: Apache-2.0
package dev.ramet.pluginhost.guard;

import dev.ramet.spi.storage.Attachment;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.Usage;
import dev.ramet.spi.storage.WriteLog;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Guards a storage backend, see {@link Guard}. {@link Capability} returns its guarded capabilities.
 *
 * @param backend the plugin's backend
 * @param guard names the plugin
 */
record GuardedStorage(StorageBackend backend, Guard guard) implements StorageBackend, Guarded {
  @Override
  public Object delegate() {
    return backend;
  }

  @Override
  public Node create(NodeId id, long sizeBytes) {
    return created(id, sizeBytes, () -> backend.create(id, sizeBytes));
  }

  @Override
  public Node create(NodeId id, long sizeBytes, Durability durability) {
    return created(id, sizeBytes, () -> backend.create(id, sizeBytes, durability));
  }

  private Node created(NodeId id, long sizeBytes, Supplier<@Nullable Node> creation) {
    try {
      Node made = node("create", id, Node.Kind.VOLUME, creation.get());
      if (made.sizeBytes() != sizeBytes) {
        throw guard.contractViolation("create", made + " for a size of " + sizeBytes);
      }
      return made;
    } catch (Throwable e) {
      throw guard.failed("create", e);
    }
  }

  @Override
  public Node importFrom(NodeId id, Path source) {
    try {
      return node("importFrom", id, Node.Kind.VOLUME, backend.importFrom(id, source));
    } catch (Throwable e) {
      throw guard.failed("importFrom", e);
    }
  }

  @Override
  public Node snapshot(NodeId volume, NodeId id, Durability durability) {
    try {
      return node("snapshot", id, Node.Kind.SNAPSHOT, backend.snapshot(volume, id, durability));
    } catch (Throwable e) {
      throw guard.failed("snapshot", e);
    }
  }

  @Override
  public Node snapshot(NodeId volume, NodeId id, Durability durability, WriteLog log) {
    try {
      Node made = backend.snapshot(volume, id, durability, log);
      return node("snapshot", id, Node.Kind.SNAPSHOT, made);
    } catch (Throwable e) {
      throw guard.failed("snapshot", e);
    }
  }

  @Override
  public Node fork(NodeId snapshot, NodeId id, Durability durability) {
    try {
      return node("fork", id, Node.Kind.VOLUME, backend.fork(snapshot, id, durability));
    } catch (Throwable e) {
      throw guard.failed("fork", e);
    }
  }

  @Override
  public Node seal(NodeId volume, Durability durability) {
    try {
      return node("seal", volume, Node.Kind.SNAPSHOT, backend.seal(volume, durability));
    } catch (Throwable e) {
      throw guard.failed("seal", e);
    }
  }

  private Node node(String call, NodeId id, Node.Kind kind, @Nullable Node answer) {
    Node node = guard.requireNonNull(call, answer);
    if (!id.equals(node.id()) || node.kind() != kind || node.sizeBytes() < 0) {
      throw guard.contractViolation(call, node + " for the " + kind + " " + id);
    }
    return node;
  }

  @Override
  public Attachment attach(NodeId id) {
    try {
      Attachment answer = guard.requireNonNull("attach", backend.attach(id));
      Path path = answer instanceof Attachment.Socket one ? one.socket() : answer.path();
      if (!path.isAbsolute()) {
        throw guard.contractViolation("attach", answer + ", whose path is not absolute");
      }
      return answer;
    } catch (Throwable e) {
      throw guard.failed("attach", e);
    }
  }

  @Override
  public void flush(NodeId id) {
    try {
      backend.flush(id);
    } catch (Throwable e) {
      throw guard.failed("flush", e);
    }
  }

  @Override
  public void writeBack(NodeId id) {
    try {
      backend.writeBack(id);
    } catch (Throwable e) {
      throw guard.failed("writeBack", e);
    }
  }

  @Override
  public void delete(NodeId id) {
    try {
      backend.delete(id);
    } catch (Throwable e) {
      throw guard.failed("delete", e);
    }
  }

  @Override
  public Optional<Node> find(NodeId id) {
    try {
      Optional<Node> answer = guard.requireNonNull("find", backend.find(id));
      if (answer.isPresent() && !id.equals(answer.get().id())) {
        throw guard.contractViolation("find", answer.get() + " for " + id);
      }
      return answer;
    } catch (Throwable e) {
      throw guard.failed("find", e);
    }
  }

  @Override
  public List<Node> list() {
    try {
      return nodes("list", backend.list());
    } catch (Throwable e) {
      throw guard.failed("list", e);
    }
  }

  @Override
  public List<Node> page(@Nullable NodeId after, int limit) {
    try {
      List<Node> nodes = nodes("page", backend.page(after, limit));
      boolean repeats =
          after != null && !nodes.isEmpty() && nodes.get(0).id().compareTo(after) <= 0;
      if (nodes.size() > limit || repeats) {
        // A caller that pages through the root would never finish.
        throw guard.contractViolation(
            "page", nodes.size() + " nodes for " + limit + " after " + after);
      }
      return nodes;
    } catch (Throwable e) {
      throw guard.failed("page", e);
    }
  }

  private List<Node> nodes(String call, @Nullable List<Node> answer) {
    List<Node> given = guard.requireNonNull(call, answer);
    // Copy the list before checking it: the plugin's own list may change, or throw, later.
    Node[] nodes = given.toArray(new Node[0]);
    NodeId last = null;
    for (Node node : nodes) {
      NodeId id = guard.requireNonNull(call, node).id();
      // Also detects duplicates.
      if (last != null && last.compareTo(id) >= 0) {
        throw guard.contractViolation(call, node + " after " + last);
      }
      last = id;
    }
    return List.of(nodes);
  }

  @Override
  public Usage usage(NodeId id) {
    try {
      Usage answer = guard.requireNonNull("usage", backend.usage(id));
      if (answer.exclusiveBytes() < 0 || answer.referencedBytes() < 0) {
        throw guard.contractViolation("usage", answer + " for " + id);
      }
      return answer;
    } catch (Throwable e) {
      throw guard.failed("usage", e);
    }
  }

  @Override
  public void close() {
    try {
      backend.close();
    } catch (Throwable e) {
      throw guard.failed("close", e);
    }
  }
}
