// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.testing;

import static dev.ramet.backends.testing.Bytes.read;
import static dev.ramet.backends.testing.Bytes.write;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.spi.storage.CopyPreparation;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.StorageBackendProvider;
import dev.ramet.testing.LoopFs;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that everything durable on return survives a power loss, with its content. */
public abstract class PowerLossContract {
  private static final int PAGES = 1024;
  private static final NodeId V = NodeId.of("v");
  private static final NodeId S = NodeId.of("s");
  private static final NodeId N = NodeId.of("n");

  @TempDir private Path dir;
  private Place place;

  /** Returns the backend under test. */
  protected abstract StorageBackendProvider provider();

  /** Returns a small file system that suits it. */
  protected abstract LoopFs fileSystem(Path directory);

  @BeforeEach
  void open() {
    place = new Place(provider(), fileSystem(dir));
    StorageBackend backend = place.backend();
    backend.create(V, (long) PAGES * Bytes.PAGE);
    for (int page = 0; page < PAGES; page += 2) {
      write(backend, V, page, 'v');
    }
    backend.flush(V);
    backend.snapshot(V, S, Durability.DURABLE);
    write(backend, V, 1, 'w');
  }

  @AfterEach
  void close() {
    if (place != null) {
      place.close();
    }
  }

  /** Writes made by closing the backend come too late. */
  private void losePower() throws Exception {
    Path disk = place.fs().copyDisk();
    place.reopen(volumes -> place.fs().mountCopy(disk));
  }

  private void holds(NodeId id, Node.Kind kind, int first, int second) {
    Node node = place.backend().find(id).orElseThrow(() -> new AssertionError(id + " is lost"));
    assertEquals(kind, node.kind());
    assertEquals((long) PAGES * Bytes.PAGE, node.sizeBytes());
    assertEquals(first, read(place.backend(), id, 0));
    assertEquals(second, read(place.backend(), id, 1));
    assertEquals('v', read(place.backend(), id, PAGES - 2));
    assertEquals(0, read(place.backend(), id, PAGES - 1));
  }

  @Test
  void aSnapshotStays() throws Exception {
    place.backend().flush(V);
    place.backend().snapshot(V, N, Durability.DURABLE);
    losePower();
    holds(N, Node.Kind.SNAPSHOT, 'v', 'w');
    holds(S, Node.Kind.SNAPSHOT, 'v', 0);
  }

  @Test
  void aForkStays() throws Exception {
    place.backend().fork(S, N, Durability.DURABLE);
    losePower();
    holds(N, Node.Kind.VOLUME, 'v', 0);
  }

  @Test
  void whatIsFlushedStays() throws Exception {
    place.backend().snapshot(V, N, Durability.RELAXED);
    place.backend().flush(N);
    losePower();
    holds(N, Node.Kind.SNAPSHOT, 'v', 'w');
  }

  @Test
  void whatIsWrittenBackIsInADurableSnapshot() throws Exception {
    place.backend().writeBack(V);
    place.backend().snapshot(V, N, Durability.RELAXED);
    place.backend().flush(N);
    losePower();
    holds(N, Node.Kind.SNAPSHOT, 'v', 'w');
  }

  @Test
  void aForkThatIsWrittenAndSealedStays() throws Exception {
    place.backend().fork(S, N, Durability.RELAXED);
    write(place.backend(), N, 0, 'n');
    place.backend().seal(N, Durability.DURABLE);
    losePower();
    holds(N, Node.Kind.SNAPSHOT, 'n', 0);
  }

  @Test
  void aVolumeThatIsWrittenAndSealedStays() throws Exception {
    place.backend().create(N, (long) PAGES * Bytes.PAGE, Durability.RELAXED);
    write(place.backend(), N, 0, 'n');
    write(place.backend(), N, PAGES - 2, 'v');
    place.backend().seal(N, Durability.DURABLE);
    losePower();
    holds(N, Node.Kind.SNAPSHOT, 'n', 0);
  }

  @Test
  void aCopyMadeAheadStays() throws Exception {
    if (!(place.backend() instanceof CopyPreparation ahead)) {
      return;
    }
    ahead.prepare(S, 1);
    ahead.prepare(V, 1);
    place.backend().snapshot(V, N, Durability.DURABLE);
    NodeId fork = NodeId.of("f");
    place.backend().fork(S, fork, Durability.DURABLE);
    losePower();
    holds(N, Node.Kind.SNAPSHOT, 'v', 'w');
    holds(fork, Node.Kind.VOLUME, 'v', 0);
  }

  @Test
  void whatIsDeletedStaysAway() throws Exception {
    place.backend().fork(S, N, Durability.DURABLE);
    place.backend().delete(N);
    place.backend().delete(S);
    losePower();
    assertTrue(place.backend().find(N).isEmpty());
    assertTrue(place.backend().find(S).isEmpty());
  }

  @Test
  void whatIsNotDurableIsThereWholeOrNotAtAll() throws Exception {
    place.backend().flush(V);
    place.backend().snapshot(V, N, Durability.RELAXED);
    losePower();
    Optional<Node> found = place.backend().find(N);
    if (found.isPresent() && place.backend() instanceof CopyPreparation) {
      holds(N, Node.Kind.SNAPSHOT, 'v', 'w');
    }
    holds(S, Node.Kind.SNAPSHOT, 'v', 0);
  }
}
