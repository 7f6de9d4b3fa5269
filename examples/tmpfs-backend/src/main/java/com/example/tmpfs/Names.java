// SPDX-License-Identifier: Apache-2.0
package com.example.tmpfs;

import dev.ramet.errors.RametException;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The nodes of an open root, and the names reserved for nodes that are being made. Not thread-safe:
 * the backend's lock guards it. Once closed, every question is an error.
 */
final class Names {
  private final Map<NodeId, Node> nodes;
  // With the origin of each.
  private final Map<NodeId, NodeId> making = new HashMap<>();
  private boolean closed;

  Names(Map<NodeId, Node> nodes) {
    this.nodes = nodes;
  }

  void reserve(NodeId id, NodeId origin) {
    checkOpen();
    boolean originTaken =
        id.equals(origin)
            && (making.containsValue(id)
                || nodes.values().stream().anyMatch(node -> node.origin().equals(id)));
    if (nodes.containsKey(id) || making.containsKey(id) || originTaken) {
      throw Failures.taken(id);
    }
    making.put(id, origin);
  }

  void release(NodeId id) {
    making.remove(id);
  }

  /** Returns whether some node is being made while the root is open. */
  boolean areReserved() {
    return !closed && !making.isEmpty();
  }

  void put(Node node) {
    nodes.put(node.id(), node);
  }

  void remove(NodeId id) {
    nodes.remove(id);
  }

  /** Returns the node of this name, or null. */
  Node find(NodeId id) {
    checkOpen();
    return nodes.get(id);
  }

  Node present(NodeId id) {
    Node node = find(id);
    if (node == null) {
      throw RametException.notFound("node", id.value());
    }
    return node;
  }

  /** Returns whether a node is still as it was when it was found. */
  boolean has(Node node) {
    return nodes.get(node.id()) == node;
  }

  List<Node> list() {
    checkOpen();
    return List.copyOf(nodes.values());
  }

  /** Closes it; returns false if it was closed before. */
  boolean close() {
    boolean was = closed;
    closed = true;
    return !was;
  }

  private void checkOpen() {
    if (closed) {
      throw Failures.closed();
    }
  }
}
