// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.testing;

import static dev.ramet.backends.testing.Bytes.read;
import static dev.ramet.backends.testing.Bytes.refused;
import static dev.ramet.backends.testing.Bytes.tree;
import static dev.ramet.backends.testing.Bytes.write;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.api.ErrorCode;
import dev.ramet.api.RametException;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.StorageBackendProvider;
import dev.ramet.testing.LoopFs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What every file backend does when no space is left. */
public abstract class FullDiskContract {
  private static final int PAGES = 4096;
  private static final NodeId V = NodeId.of("v");
  private static final NodeId S = NodeId.of("s");

  @TempDir private Path dir;
  private Place place;
  private StorageBackend backend;
  private int made;

  /** The backend under test. */
  protected abstract StorageBackendProvider provider();

  /** A small file system that suits it. */
  protected abstract LoopFs fileSystem(Path directory);

  /** Whether a copy needs space for the data, so that it must fail here. */
  protected abstract boolean copiesNeedSpace();

  @BeforeEach
  void open() {
    place = new Place(provider(), fileSystem(dir));
    backend = place.backend();
    backend.create(V, (long) PAGES * Bytes.PAGE);
    for (int page = 0; page < PAGES; page++) {
      write(backend, V, page, 'v');
    }
    backend.snapshot(V, S, Durability.DURABLE);
  }

  @AfterEach
  void close() {
    place.close();
  }

  @Test
  void noMutationLeavesAnythingHalfMade() throws Exception {
    Path image = dir.resolve("image");
    byte[] content = new byte[32 << 20];
    new Random(3).nextBytes(content);
    Files.write(image, content);
    for (long keep : new long[] {4 << 20, 0}) {
      place.fs().fill(keep);
      for (Durability durability : Durability.values()) {
        boolean snapshot = fails(() -> backend.snapshot(V, next(), durability));
        boolean fork = fails(() -> backend.fork(S, next(), durability));
        if (copiesNeedSpace()) {
          assertTrue(snapshot && fork);
        }
      }
      assertTrue(fails(() -> backend.importFrom(next(), image)));
      fails(() -> backend.create(next(), 1 << 20));
    }
    assertEquals('v', read(backend, V, 17));
    assertEquals('v', read(backend, S, 17));
    backend.seal(V, Durability.DURABLE);
    // The way out must stay open.
    for (Node node : backend.list()) {
      if (!node.id().equals(V)) {
        backend.delete(node.id());
      }
    }
    place.fs().unfill();
    backend = place.reopen();
    assertEquals(List.of(V), backend.list().stream().map(Node::id).toList());
    backend.fork(V, S, Durability.DURABLE);
    assertEquals('v', read(backend, S, 17));
  }

  private NodeId next() {
    return NodeId.of("n" + made++);
  }

  /** Does something that works or is refused without a trace; returns whether it was refused. */
  private boolean fails(Runnable mutation) {
    String files = tree(place.volumes());
    List<Node> nodes = backend.list();
    try {
      mutation.run();
      return false;
    } catch (RametException refusal) {
      RametException e =
          refused(
              ErrorCode.NO_SPACE,
              () -> {
                throw refusal;
              });
      assertNotNull(e.remedy());
      assertEquals(files, tree(place.volumes()));
      assertEquals(nodes, backend.list());
      return true;
    }
  }
}
