// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.storage.check;

import static dev.ramet.tck.storage.World.F;
import static dev.ramet.tck.storage.World.S;
import static dev.ramet.tck.storage.World.SIZE;
import static dev.ramet.tck.storage.World.T;
import static dev.ramet.tck.storage.World.V;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.tck.storage.World;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Checks that nodes can be deleted in any order, and that no deletion affects another node. */
public abstract class DeletionChecks {
  /** Called by the kit. */
  protected DeletionChecks() {}

  public abstract World world();

  @Test
  void everyOrderWorksAndLeavesNothing() {
    StorageBackend backend = world().backend();
    for (List<NodeId> order : permutations(List.of(V, S, T, F))) {
      world().volume(V, '1');
      backend.snapshot(V, S, Durability.RELAXED);
      backend.snapshot(S, T, Durability.RELAXED);
      backend.fork(S, F, Durability.RELAXED);
      List<NodeId> left = new ArrayList<>(order);
      while (!left.isEmpty()) {
        NodeId next = left.remove(0);
        backend.delete(next);
        assertTrue(backend.find(next).isEmpty(), () -> next + " is still found after its deletion");
        for (NodeId id : left) {
          assertEquals(
              '1',
              world().read(id, 3),
              () -> "deleting " + next + " in the order " + order + " damaged " + id);
        }
      }
      world().deleteAll("after deleting in the order " + order);
    }
  }

  private static List<List<NodeId>> permutations(List<NodeId> items) {
    if (items.isEmpty()) {
      return List.of(List.of());
    }
    List<List<NodeId>> all = new ArrayList<>();
    for (NodeId first : items) {
      List<NodeId> rest = new ArrayList<>(items);
      rest.remove(first);
      for (List<NodeId> tail : permutations(rest)) {
        List<NodeId> one = new ArrayList<>(List.of(first));
        one.addAll(tail);
        all.add(one);
      }
    }
    return all;
  }

  @Test
  void anOriginsNameStaysTakenWhileNodesDescendFromIt() {
    StorageBackend backend = world().backend();
    world().volume(V, '1');
    backend.snapshot(V, S, Durability.RELAXED);
    backend.delete(V);
    world()
        .refusedWithoutTrace(
            ErrorCode.ALREADY_EXISTS,
            "a volume named as an origin that nodes still have",
            () -> backend.create(V, SIZE));
    backend.delete(S);
    backend.create(V, SIZE);
    assertEquals(0, world().read(V, 3), "a new volume must not hold an old one's data");
    backend.delete(V);
    backend.delete(V);
  }

  @Test
  void aNameIsFreeAgainAndForgetsWhatItHeld() {
    StorageBackend backend = world().backend();
    for (int round = 0; round < 5; round++) {
      world().volume(V, 'a' + round);
      backend.snapshot(V, S, Durability.RELAXED);
      assertEquals('a' + round, world().read(S, 3));
      backend.delete(S);
      world().write(V, 3, 'z');
      backend.snapshot(V, S, Durability.RELAXED);
      assertEquals('z', world().read(S, 3), "a name used again must not bring old data back");
      backend.delete(V);
      backend.delete(S);
    }
    world().deleteAll("after using names again");
  }
}
