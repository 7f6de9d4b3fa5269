// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.bytecopy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests a root with so many nodes that each is read only when it is needed. */
class LargeRootTest {
  private static final int SNAPSHOTS = 3000;
  private static final NodeId V = NodeId.of("v");
  private static final NodeId EMPTY = NodeId.of("s0500x");
  private static final NodeId GONE = NodeId.of("s0700");

  private final ByteCopyProvider provider = new ByteCopyProvider();
  private final Path root;

  LargeRootTest(@TempDir Path root) {
    this.root = root;
  }

  @BeforeEach
  void fill() throws Exception {
    try (StorageBackend backend = provider.open(new ProbeContext(root))) {
      backend.create(V, 4096);
    }
    Path directory = root.resolve("volumes/v");
    for (int i = 0; i < SNAPSHOTS; i++) {
      Files.write(directory.resolve("s%04d".formatted(i)), new byte[] {(byte) i});
    }
    Files.createFile(file(EMPTY));
    // The permissions that every node gets at its creation: a file with others is not ours.
    Files.setPosixFilePermissions(file(EMPTY), PosixFilePermissions.fromString("rw-------"));
  }

  private Path file(NodeId id) {
    return root.resolve("volumes/v").resolve(id.value());
  }

  @Test
  void everyNodeIsFoundAndWhatIsNoneIsNot() throws Exception {
    try (StorageBackend backend = provider.open(new ProbeContext(root))) {
      assertEquals(
          new Node(NodeId.of("s0042"), Node.Kind.SNAPSHOT, V, 1),
          backend.find(NodeId.of("s0042")).orElseThrow());
      assertEquals(Node.Kind.VOLUME, backend.find(V).orElseThrow().kind());
      assertEquals(
          List.of("s0499", "s0500", "s0501"),
          backend.page(NodeId.of("s0498"), 3).stream().map(node -> node.id().value()).toList());
      assertFalse(Files.exists(file(EMPTY)), "a copy that was not finished is removed when seen");
      Files.delete(file(GONE));
      assertTrue(backend.find(GONE).isEmpty());
      assertEquals(SNAPSHOTS, backend.list().size());
    }
  }

  @Test
  void pagesAreInOrderWhileNamesAreStillBeingSorted() throws Exception {
    try (StorageBackend backend = provider.open(new ProbeContext(root))) {
      List<String> seen = new ArrayList<>();
      NodeId last = null;
      for (int page = 0; ; page++) {
        List<Node> next = backend.page(last, 100);
        if (next.isEmpty()) {
          break;
        }
        next.forEach(node -> seen.add(node.id().value()));
        last = seen.isEmpty() ? null : NodeId.of(seen.get(seen.size() - 1));
        // Changes behind the reader's position do not concern it.
        backend.snapshot(V, NodeId.of("a" + page), Durability.RELAXED);
        backend.delete(NodeId.of("s%04d".formatted(page)));
      }
      assertEquals(SNAPSHOTS + 1, seen.size(), "all snapshots and the volume");
      assertEquals(seen.stream().sorted().distinct().toList(), seen);
      List<String> all = backend.list().stream().map(node -> node.id().value()).toList();
      assertEquals(all.stream().sorted().toList(), all);
      assertEquals(SNAPSHOTS + 1, all.size(), "as many came as went");
    }
  }

  @Test
  void aNameThatOnlyAnUnfinishedCopyHasIsFree() throws Exception {
    try (StorageBackend backend = provider.open(new ProbeContext(root))) {
      backend.snapshot(V, EMPTY, Durability.RELAXED);
      assertEquals(4096, backend.find(EMPTY).orElseThrow().sizeBytes());
      backend.delete(EMPTY);
      backend.delete(EMPTY);
      for (Node node : backend.list()) {
        backend.delete(node.id());
      }
      assertFalse(
          Files.exists(root.resolve("volumes/v")), "the last node takes its directory along");
    }
  }
}
