// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.storage.check;

import static dev.ramet.tck.storage.World.S;
import static dev.ramet.tck.storage.World.SIZE;
import static dev.ramet.tck.storage.World.T;
import static dev.ramet.tck.storage.World.V;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.tck.storage.World;
import dev.ramet.tck.support.Threads;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Checks many threads on few names: every outcome must have an explanation. */
public abstract class ConcurrencyChecks {
  /** Called by the kit. */
  protected ConcurrencyChecks() {}

  private static final int THREADS = 32;
  private static final List<NodeId> FEW =
      List.of(NodeId.of("n0"), NodeId.of("n1"), NodeId.of("n2"), NodeId.of("n3"), NodeId.of("n4"));

  public abstract World world();

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

  /**
   * When all threads have ended, a name may lack its node only if a delete ended after the last
   * creation began, and may have one only if no delete began after the last creation ended. In half
   * of the rounds nobody deletes, so that nothing excuses a missing node.
   */
  @Test
  void manyThreadsOnFewNamesLeaveWhatTheySay() throws Exception {
    NameHistory history = new NameHistory();
    history.make(V, () -> world().volume(V, '1'));
    world().backend().seal(V, Durability.RELAXED);
    for (int round = 0; round < 4; round++) {
      int seed = round * THREADS;
      Threads.run(THREADS, thread -> act(history, new Random(seed + thread), 15, 6));
      demand(history);
      Threads.run(THREADS, thread -> act(history, new Random(seed + thread), 5, 5));
      demand(history);
    }
    List<Node> nodes = world().backend().list();
    for (Node node : nodes) {
      assertEquals('1', world().read(node.id(), 3), () -> "the content of " + node.id());
    }
    world().reopen();
    assertEquals(nodes, world().backend().list(), "reopening must find what the threads left");
    world().deleteAll("after 32 threads");
  }

  /** Performs random operations of the given number of kinds; the sixth kind is deletion. */
  private void act(NameHistory history, Random random, int times, int kinds) {
    StorageBackend backend = world().backend();
    for (int i = 0; i < times; i++) {
      NodeId id = FEW.get(random.nextInt(FEW.size()));
      NodeId from = random.nextBoolean() ? V : FEW.get(random.nextInt(FEW.size()));
      try {
        switch (random.nextInt(kinds)) {
          case 0 -> history.make(id, () -> backend.fork(from, id, Durability.RELAXED));
          case 1, 2 -> history.make(id, () -> backend.snapshot(from, id, Durability.RELAXED));
          case 3 -> backend.seal(id, Durability.RELAXED);
          case 4 -> backend.usage(id);
          default -> history.delete(id, () -> backend.delete(id));
        }
      } catch (RametException e) {
        explained(e);
      }
    }
  }

  private void demand(NameHistory history) {
    Set<NodeId> there = world().backend().list().stream().map(Node::id).collect(Collectors.toSet());
    Set<NodeId> names = new TreeSet<>(there);
    names.addAll(FEW);
    names.add(V);
    for (NodeId id : names) {
      String objection = history.objection(id, there.contains(id));
      assertNull(objection, objection);
    }
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
