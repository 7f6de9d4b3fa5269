// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck;

import static dev.ramet.tck.World.S;
import static dev.ramet.tck.World.SIZE;
import static dev.ramet.tck.World.T;
import static dev.ramet.tck.World.V;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ramet.api.ErrorCode;
import dev.ramet.api.RametException;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Many threads on few names: every outcome has an explanation. */
abstract class ConcurrencyChecks {
  private static final int THREADS = 32;

  abstract World world();

  @Test
  void ofManyWhoWantANameOneGetsIt() throws Exception {
    StorageBackend backend = world().backend();
    world().volume(V, '1');
    backend.seal(V, Durability.RELAXED);
    for (int round = 0; round < 10; round++) {
      AtomicInteger made = new AtomicInteger();
      NodeId name = NodeId.of("round-" + round);
      Threads.run(
          THREADS,
          thread -> {
            try {
              switch (thread % 3) {
                case 0 -> backend.fork(V, name, Durability.RELAXED);
                case 1 -> backend.snapshot(V, name, Durability.RELAXED);
                default -> backend.create(name, SIZE);
              }
              made.incrementAndGet();
            } catch (RametException e) {
              assertEquals(
                  ErrorCode.ALREADY_EXISTS, e.code(), () -> "who loses a name's race: " + e);
            }
          });
      assertEquals(1, made.get(), "of those who want one name at once, one gets it");
    }
    assertEquals(11, backend.list().size());
    world().deleteAll("after races for names");
  }

  /** Counts per name what was made and deleted; at the end the difference must be there. */
  @Test
  void manyThreadsOnFewNamesLeaveWhatTheySay() throws Exception {
    StorageBackend backend = world().backend();
    world().volume(V, '1');
    backend.seal(V, Durability.RELAXED);
    Map<NodeId, AtomicInteger> made = new ConcurrentHashMap<>();
    Threads.run(
        THREADS,
        thread -> {
          Random random = new Random(thread);
          for (int i = 0; i < 60; i++) {
            NodeId id = NodeId.of("n" + random.nextInt(5));
            NodeId from = random.nextBoolean() ? V : NodeId.of("n" + random.nextInt(5));
            try {
              switch (random.nextInt(6)) {
                case 0 -> {
                  backend.fork(from, id, Durability.RELAXED);
                  made.computeIfAbsent(id, key -> new AtomicInteger()).incrementAndGet();
                }
                case 1, 2 -> {
                  backend.snapshot(from, id, Durability.RELAXED);
                  made.computeIfAbsent(id, key -> new AtomicInteger()).incrementAndGet();
                }
                case 3 -> backend.seal(id, Durability.RELAXED);
                case 4 -> backend.usage(id);
                default -> backend.delete(id);
              }
            } catch (RametException e) {
              explained(e);
            }
          }
        });
    List<Node> nodes = backend.list();
    for (Node node : nodes) {
      assertEquals('1', world().read(node.id(), 3), () -> "the content of " + node.id());
      assertEquals(
          true,
          node.id().equals(V) || made.containsKey(node.id()),
          () -> node.id() + " is there, and nobody was told that it was made");
    }
    world().reopen();
    assertEquals(nodes, world().backend().list(), "reopening must find what the threads left");
    world().deleteAll("after 32 threads");
  }

  private static void explained(RametException e) {
    boolean expected =
        e.code() == ErrorCode.NOT_FOUND
            || e.code() == ErrorCode.ALREADY_EXISTS
            || e.code() == ErrorCode.CONFLICT;
    if (!expected) {
      throw new AssertionError("no other thread explains this failure", e);
    }
  }

  @Test
  void threadsOnDifferentVolumesDoNotMeet() throws Exception {
    StorageBackend backend = world().backend();
    for (int i = 0; i < THREADS; i++) {
      world().volume(NodeId.of("v" + i), 'a' + i % 26);
    }
    Threads.run(
        THREADS,
        thread -> {
          NodeId volume = NodeId.of("v" + thread);
          for (int i = 0; i < 5; i++) {
            NodeId snapshot = NodeId.of("s" + thread + "-" + i);
            backend.snapshot(volume, snapshot, i == 0 ? Durability.DURABLE : Durability.RELAXED);
            world().write(volume, 4, i + 1);
            assertEquals(i, world().read(snapshot, 4), "a snapshot beside other threads");
          }
        });
    assertEquals(6 * THREADS, backend.list().size());
    for (int i = 0; i < THREADS; i++) {
      assertEquals('a' + i % 26, world().read(NodeId.of("s" + i + "-4"), 3));
    }
  }

  @Test
  void theLastNodesOfAnOriginCanGoAtOnce() throws Exception {
    StorageBackend backend = world().backend();
    List<NodeId> ids = List.of(V, S, T);
    for (int round = 0; round < 25; round++) {
      world().volume(V, '1');
      backend.snapshot(V, S, Durability.RELAXED);
      backend.snapshot(V, T, Durability.RELAXED);
      Threads.run(3, thread -> backend.delete(ids.get(thread)));
      assertEquals(List.of(), backend.list());
      world().deleteAll("after deleting all of an origin's nodes at once");
    }
  }
}
