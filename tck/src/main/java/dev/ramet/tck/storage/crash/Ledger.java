// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.storage.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Records the acknowledged operations, and the current one, whose outcome is unknown. */
final class Ledger {
  private static final List<NodeId> NAMES =
      List.of(NodeId.of("a"), NodeId.of("b"), NodeId.of("c"), NodeId.of("d"), NodeId.of("e"));
  private static final Set<ErrorCode> EXPECTED =
      Set.of(ErrorCode.NOT_FOUND, ErrorCode.ALREADY_EXISTS, ErrorCode.CONFLICT);

  private final Map<NodeId, Node.Kind> acknowledged = new HashMap<>();
  private @Nullable NodeId inHand;

  /** Performs a random operation. */
  void act(StorageBackend backend, Random random, Path image) {
    NodeId id = NAMES.get(random.nextInt(NAMES.size()));
    NodeId from = NAMES.get(random.nextInt(NAMES.size()));
    Durability durability = random.nextInt(4) == 0 ? Durability.DURABLE : Durability.RELAXED;
    int choice = random.nextInt(8);
    inHand = choice == 5 ? from : id;
    try {
      switch (choice) {
        case 0, 1 -> record(backend.importFrom(id, image));
        case 2, 3 -> record(backend.snapshot(from, id, durability));
        case 4 -> record(backend.fork(from, id, durability));
        case 5 -> record(backend.seal(from, durability));
        default -> {
          backend.delete(id);
          acknowledged.remove(id);
        }
      }
    } catch (RametException e) {
      if (!EXPECTED.contains(e.code())) {
        throw e;
      }
    }
    inHand = null;
  }

  private void record(Node node) {
    acknowledged.put(node.id(), node.kind());
  }

  /** Compares the record with the nodes after the crash. */
  void demand(StorageBackend backend, String when) {
    for (NodeId id : NAMES) {
      if (id.equals(inHand)) {
        continue;
      }
      Optional<Node> found = backend.find(id);
      Node.Kind expected = acknowledged.get(id);
      assertEquals(
          Optional.ofNullable(expected),
          found.map(Node::kind),
          () -> "what was acknowledged before a crash must be there after it: " + id + ", " + when);
    }
    for (Node node : backend.list()) {
      assertTrue(NAMES.contains(node.id()), () -> "a node nobody made: " + node + ", " + when);
    }
  }
}
