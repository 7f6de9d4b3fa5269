// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.testing;

import static dev.ramet.backends.testing.Bytes.read;
import static dev.ramet.backends.testing.Bytes.refused;
import static dev.ramet.backends.testing.Bytes.tree;
import static dev.ramet.backends.testing.Bytes.write;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.api.ErrorCode;
import dev.ramet.spi.storage.Attachment;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.StorageBackendProvider;
import dev.ramet.spi.storage.Usage;
import dev.ramet.testing.LoopFs;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What every file backend does with nodes. */
public abstract class NodeContract {
  private static final long SIZE = 1 << 20;
  private static final NodeId V = NodeId.of("v");
  private static final NodeId S = NodeId.of("s");
  private static final NodeId T = NodeId.of("t");
  private static final NodeId F = NodeId.of("f");

  @TempDir private Path dir;
  private Place place;
  private StorageBackend backend;

  /** The backend under test. */
  protected abstract StorageBackendProvider provider();

  /** A file system that suits it. */
  protected abstract LoopFs fileSystem(Path directory);

  @BeforeEach
  void open() {
    place = new Place(provider(), fileSystem(dir));
    backend = place.backend();
  }

  @AfterEach
  void close() {
    place.close();
  }

  private void volumeWithPage(int value) {
    backend.create(V, SIZE);
    write(backend, V, 3, value);
  }

  @Test
  void aNewVolumeIsZeroAndSparse() {
    Node node = backend.create(V, 100L << 30);
    assertEquals(new Node(V, Node.Kind.VOLUME, V, 100L << 30), node);
    assertEquals(0, read(backend, V, 12345));
    assertEquals(new Usage(0, 0), backend.usage(V));
    Attachment attachment = backend.attach(V);
    assertEquals(Attachment.Kind.FILE, attachment.kind());
    assertTrue(attachment.path().isAbsolute());
    assertFalse(attachment.readOnly());
    assertEquals(List.of(node), backend.list());
    refused(ErrorCode.INVALID_ARGUMENT, () -> backend.create(S, 0));
    refused(ErrorCode.INVALID_ARGUMENT, () -> backend.create(S, -1));
  }

  @ParameterizedTest
  @EnumSource
  void copiesAreIsolatedBothWays(Durability durability) {
    volumeWithPage('1');
    Node snapshot = backend.snapshot(V, S, durability);
    assertEquals(new Node(S, Node.Kind.SNAPSHOT, V, SIZE), snapshot);
    assertTrue(backend.attach(S).readOnly());
    write(backend, V, 3, '2');
    Node fork = backend.fork(S, F, durability);
    assertEquals(new Node(F, Node.Kind.VOLUME, F, SIZE), fork);
    write(backend, F, 3, '3');
    write(backend, F, 4, '4');
    assertEquals('2', read(backend, V, 3));
    assertEquals('1', read(backend, S, 3));
    assertEquals('3', read(backend, F, 3));
    assertEquals(0, read(backend, S, 4));
    assertEquals(0, read(backend, V, 4));
  }

  @Test
  void descendantsLieUnderTheirUltimateAncestor() throws Exception {
    volumeWithPage('1');
    backend.snapshot(V, S, Durability.RELAXED);
    write(backend, V, 3, '2');
    assertEquals(V, backend.snapshot(S, T, Durability.RELAXED).origin());
    assertEquals('1', read(backend, T, 3));
    backend.fork(T, F, Durability.RELAXED);
    Node grandchild = backend.snapshot(F, NodeId.of("g"), Durability.DURABLE);
    assertEquals(F, grandchild.origin());
    List<Node> before = backend.list();
    backend = place.reopen();
    assertEquals(before, backend.list());
  }

  @ParameterizedTest
  @EnumSource
  void sealingKeepsTheName(Durability durability) throws Exception {
    volumeWithPage('1');
    Node sealed = backend.seal(V, durability);
    assertEquals(new Node(V, Node.Kind.SNAPSHOT, V, SIZE), sealed);
    assertEquals(sealed, backend.seal(V, durability));
    assertTrue(backend.attach(V).readOnly());
    backend.fork(V, F, durability);
    assertEquals('1', read(backend, F, 3));
    assertEquals(V, backend.snapshot(V, S, durability).origin());
    backend = place.reopen();
    assertEquals(sealed, backend.find(V).orElseThrow());
  }

  @Test
  void whatIsAbsentOrOfTheWrongKind() {
    volumeWithPage('1');
    String before = tree(place.volumes());
    refused(ErrorCode.NOT_FOUND, () -> backend.snapshot(T, S, Durability.RELAXED));
    refused(ErrorCode.NOT_FOUND, () -> backend.fork(T, S, Durability.RELAXED));
    refused(ErrorCode.NOT_FOUND, () -> backend.seal(T, Durability.RELAXED));
    refused(ErrorCode.NOT_FOUND, () -> backend.attach(T));
    refused(ErrorCode.NOT_FOUND, () -> backend.flush(T));
    refused(ErrorCode.NOT_FOUND, () -> backend.usage(T));
    refused(ErrorCode.CONFLICT, () -> backend.fork(V, F, Durability.RELAXED));
    refused(ErrorCode.ALREADY_EXISTS, () -> backend.create(V, SIZE));
    refused(ErrorCode.ALREADY_EXISTS, () -> backend.snapshot(V, V, Durability.RELAXED));
    refused(ErrorCode.NOT_FOUND, () -> backend.importFrom(T, dir.resolve("absent")));
    refused(ErrorCode.INVALID_ARGUMENT, () -> backend.importFrom(T, dir));
    assertTrue(backend.find(T).isEmpty());
    backend.delete(T);
    assertEquals(before, tree(place.volumes()));
  }

  @Test
  void namesAreOneFlatSpace() {
    volumeWithPage('1');
    backend.snapshot(V, S, Durability.RELAXED);
    refused(ErrorCode.ALREADY_EXISTS, () -> backend.create(S, SIZE));
    refused(ErrorCode.ALREADY_EXISTS, () -> backend.fork(S, V, Durability.RELAXED));
    for (String bad : List.of("", ".", "..", "a/b", "../v", ".new-x", "-v", "a\0b", "\u00e4")) {
      refused(ErrorCode.INVALID_ARGUMENT, () -> backend.create(NodeId.of(bad), SIZE));
    }
    NodeId longest = NodeId.of("x".repeat(64));
    backend.create(longest, SIZE);
    backend.delete(longest);
  }

  @Test
  void anOriginsNameStaysTakenWhileItHasDescendants() {
    volumeWithPage('1');
    backend.snapshot(V, S, Durability.RELAXED);
    backend.delete(V);
    assertTrue(backend.find(V).isEmpty());
    refused(ErrorCode.ALREADY_EXISTS, () -> backend.create(V, SIZE));
    backend.delete(S);
    backend.create(V, SIZE);
    assertEquals(0, read(backend, V, 3));
  }

  @Test
  void nodesGoInAnyOrderAndTakeTheirDirectoryWithThem() {
    Random random = new Random(11);
    for (int round = 0; round < 24; round++) {
      volumeWithPage('1');
      backend.snapshot(V, S, Durability.RELAXED);
      backend.snapshot(S, T, Durability.RELAXED);
      backend.fork(S, F, Durability.RELAXED);
      List<NodeId> order = new ArrayList<>(List.of(V, S, T, F));
      Collections.shuffle(order, random);
      while (!order.isEmpty()) {
        for (NodeId id : order) {
          assertEquals('1', read(backend, id, 3), () -> id + " of " + order);
        }
        backend.delete(order.remove(0));
      }
      assertEquals(".backend", tree(place.volumes()).strip());
    }
  }

  @Test
  void importKeepsContentAndHoles() throws Exception {
    Path image = dir.resolve("image");
    try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
      file.setLength(64 << 20);
      file.seek(40 << 20);
      file.write("here".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
    }
    Node node = backend.importFrom(V, image);
    assertEquals(64 << 20, node.sizeBytes());
    assertEquals(Node.Kind.VOLUME, node.kind());
    assertEquals(-1, Files.mismatch(image, backend.attach(V).path()));
    assertTrue(backend.usage(V).referencedBytes() <= 64 << 10, backend.usage(V)::toString);
    // From the same file system too, where a clone would do.
    Path inside = Files.copy(image, place.fs().root().resolve("image"));
    backend.importFrom(S, inside);
    assertEquals(-1, Files.mismatch(image, backend.attach(S).path()));
    Files.delete(inside);
  }

  @Test
  void flushedNodesAreThere() throws Exception {
    volumeWithPage('1');
    backend.snapshot(V, S, Durability.RELAXED);
    backend.fork(S, F, Durability.RELAXED);
    backend.snapshot(F, T, Durability.RELAXED);
    backend.flush(V);
    backend.flush(S);
    backend.flush(T);
    backend = place.reopen();
    assertEquals('1', read(backend, T, 3));
  }

  @Test
  void aClosedBackendRefuses() {
    backend.close();
    backend.close();
    refused(ErrorCode.UNAVAILABLE, () -> backend.create(V, SIZE));
    refused(ErrorCode.UNAVAILABLE, () -> backend.list());
    assertEquals(".backend", tree(place.volumes()).strip());
  }

  @Test
  void ofManyWhoWantANameOneGetsIt() throws Exception {
    volumeWithPage('1');
    backend.seal(V, Durability.RELAXED);
    for (int round = 0; round < 10; round++) {
      AtomicInteger made = new AtomicInteger();
      AtomicInteger refused = new AtomicInteger();
      NodeId name = NodeId.of("round-" + round);
      inParallel(
          32,
          thread -> {
            try {
              Durability relaxed = Durability.RELAXED;
              switch (thread % 3) {
                case 0 -> backend.fork(V, name, relaxed);
                case 1 -> backend.snapshot(V, name, relaxed);
                default -> backend.create(name, SIZE);
              }
              made.incrementAndGet();
            } catch (dev.ramet.api.RametException e) {
              assertEquals(ErrorCode.ALREADY_EXISTS, e.code());
              refused.incrementAndGet();
            }
          });
      assertEquals(1, made.get());
      assertEquals(31, refused.get());
    }
    assertEquals(11, backend.list().size());
  }

  @Test
  void manyThreadsOnFewNamesLeaveWhatTheySay() throws Exception {
    volumeWithPage('1');
    backend.seal(V, Durability.RELAXED);
    inParallel(
        32,
        thread -> {
          Random random = new Random(thread);
          for (int i = 0; i < 60; i++) {
            NodeId id = NodeId.of("n" + random.nextInt(5));
            NodeId from = random.nextBoolean() ? V : NodeId.of("n" + random.nextInt(5));
            try {
              switch (random.nextInt(6)) {
                case 0 -> backend.fork(from, id, Durability.RELAXED);
                case 1, 2 -> backend.snapshot(from, id, Durability.RELAXED);
                case 3 -> backend.seal(id, Durability.RELAXED);
                case 4 -> assertTrue(backend.usage(id).referencedBytes() > 0);
                default -> backend.delete(id);
              }
            } catch (dev.ramet.api.RametException e) {
              boolean expected =
                  e.code() == ErrorCode.NOT_FOUND
                      || e.code() == ErrorCode.ALREADY_EXISTS
                      || e.code() == ErrorCode.CONFLICT;
              if (!expected) {
                throw e;
              }
            }
          }
        });
    List<Node> nodes = backend.list();
    for (Node node : nodes) {
      assertEquals('1', read(backend, node.id(), 3));
    }
    backend = place.reopen(volumes -> assertFalse(tree(volumes).contains(".new-")));
    assertEquals(nodes, backend.list());
    for (Node node : nodes) {
      backend.delete(node.id());
    }
    assertEquals(".backend", tree(place.volumes()).strip());
  }

  @Test
  void theLastNodesOfADirectoryCanGoAtOnce() throws Exception {
    List<NodeId> ids = List.of(V, S, T);
    for (int round = 0; round < 40; round++) {
      volumeWithPage('1');
      backend.snapshot(V, S, Durability.RELAXED);
      backend.snapshot(V, T, Durability.RELAXED);
      inParallel(3, thread -> backend.delete(ids.get(thread)));
      assertEquals(List.of(), backend.list());
      assertEquals(".backend", tree(place.volumes()).strip());
    }
  }

  private interface Job {
    void run(int thread);
  }

  private static void inParallel(int threads, Job job) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Callable<Object>> jobs = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        int thread = i;
        jobs.add(
            () -> {
              job.run(thread);
              return thread;
            });
      }
      for (Future<Object> done : pool.invokeAll(jobs)) {
        done.get();
      }
    } finally {
      pool.shutdownNow();
    }
  }
}
