// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.dmsnapshot;

import static dev.ramet.backends.dmsnapshot.Root.V;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.linux.file.Fd;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests a loss of power while devices are open, as a hypervisor has them. */
class OpenDevicePowerLossTest {
  private static final long SIZE = 16 << 20;
  private static final NodeId S = NodeId.of("s");
  private static final NodeId F = NodeId.of("f");
  private static final NodeId SEALED = NodeId.of("sealed");
  private static final NodeId LATER = NodeId.of("later");

  private final Path dir;

  OpenDevicePowerLossTest(@TempDir Path dir) {
    this.dir = dir;
  }

  @Test
  void whatWasAcknowledgedAndWhatItsWriterFlushedStays() throws Exception {
    try (Root root = new Root(dir, 192 << 20, 1 << 20)) {
      root.backend().create(V, SIZE);
      Path disk;
      try (Fd volume = root.device(V)) {
        Root.write(volume, 1, 11);
        root.backend().snapshot(V, S, Durability.DURABLE);
        root.backend().fork(S, F, Durability.DURABLE);
        root.backend().fork(S, SEALED, Durability.DURABLE);
        try (Fd fork = root.device(F);
            Fd sealed = root.device(SEALED)) {
          // Write to the layers above the snapshot: a page that the snapshot also has, and one that
          // it does not.
          Root.write(volume, 1, 21);
          Root.write(volume, 2, 22);
          Root.write(fork, 1, 31);
          Root.write(fork, 3, 33);
          Root.write(sealed, 4, 44);
          root.backend().seal(SEALED, Durability.DURABLE);
          root.backend().awaitMerges();
          disk = root.fs().copyDisk();
          root.backend().snapshot(V, LATER, Durability.DURABLE);
          Root.write(volume, 2, 99);
        }
      }
      root.reopen(disk);
      assertTrue(root.backend().find(LATER).isEmpty(), "the disk is not the one before");
      assertEquals(List.of(F, S, SEALED, V), root.backend().list().stream().map(Node::id).toList());
      assertPages(root, V, 21, 22, 0, 0);
      assertPages(root, S, 11, 0, 0, 0);
      assertPages(root, F, 31, 0, 33, 0);
      assertPages(root, SEALED, 11, 0, 0, 44);
      assertEquals(Node.Kind.SNAPSHOT, root.backend().find(SEALED).orElseThrow().kind());
    }
    assertEquals(List.of(), Root.devices());
  }

  /** Asserts the content of a node's pages, starting with page 1. */
  private static void assertPages(Root root, NodeId id, long... expected) throws Exception {
    for (int page = 1; page <= expected.length; page++) {
      assertEquals(expected[page - 1], root.read(id, page), id + " page " + page);
    }
  }
}
