// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.storage.check;

import static dev.ramet.tck.storage.World.F;
import static dev.ramet.tck.storage.World.PAGE;
import static dev.ramet.tck.storage.World.S;
import static dev.ramet.tck.storage.World.SIZE;
import static dev.ramet.tck.storage.World.T;
import static dev.ramet.tck.storage.World.U;
import static dev.ramet.tck.storage.World.V;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.tck.storage.World;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Checks that no node sees what is written to another, whatever kind of write it is. */
public abstract class IsolationChecks {
  /** Called by the kit. */
  protected IsolationChecks() {}

  public abstract World world();

  /** A guest's change to its disk, applied to the node and to the expected content. */
  private enum Change {
    /** Data in place of data. */
    OVERWRITE(2 * PAGE, PAGE),
    /** A few bytes across the border of two pages. */
    UNALIGNED(3 * PAGE - 5, 11),
    /** Data where there was a hole. */
    INTO_A_HOLE(20 * PAGE, 2 * PAGE),
    /** Data at the very end. */
    AT_THE_END((int) SIZE - PAGE, PAGE),
    /** Zeros in place of data. */
    ZEROS(PAGE, PAGE),
    /** A discard, which frees space. */
    DISCARD(2 * PAGE, 2 * PAGE);

    private final int offset;
    private final int length;

    Change(int offset, int length) {
      this.offset = offset;
      this.length = length;
    }
  }

  private void apply(Change change, NodeId id, int value, byte[] expected) {
    byte[] bytes = new byte[change.length];
    Arrays.fill(bytes, change == Change.ZEROS ? 0 : (byte) value);
    if (change == Change.DISCARD) {
      world().discard(id, change.offset, change.length);
      Arrays.fill(bytes, (byte) 0);
    } else {
      world().write(id, change.offset, bytes);
    }
    System.arraycopy(bytes, 0, expected, change.offset, bytes.length);
  }

  private void holds(NodeId id, byte[] expected, String when) {
    assertArrayEquals(
        expected,
        world().bytes(id, 0, expected.length),
        () -> "the content of " + id + " is wrong " + when + ": a write must reach one node only");
  }

  private byte[] filled(NodeId id) {
    byte[] content = new byte[(int) SIZE];
    Arrays.fill(content, PAGE, 6 * PAGE, (byte) 'o');
    world().backend().create(id, SIZE);
    world().write(id, PAGE, Arrays.copyOfRange(content, PAGE, 6 * PAGE));
    return content;
  }

  @Test
  void everyKindOfWriteStaysWhereItIsMade() {
    StorageBackend backend = world().backend();
    for (Change change : Change.values()) {
      for (Durability durability : Durability.values()) {
        byte[] original = filled(V);
        byte[] volume = original.clone();
        backend.snapshot(V, S, durability);
        apply(change, V, 'v', volume);
        holds(V, volume, "after " + change + " to it");
        holds(S, original, "after " + change + " to its volume");
        byte[] fork = original.clone();
        backend.fork(S, F, durability);
        apply(change, F, 'f', fork);
        holds(F, fork, "after " + change + " to it");
        holds(S, original, "after " + change + " to its fork");
        holds(V, volume, "after " + change + " to a fork of its snapshot");
        world().deleteAll("after " + change);
      }
    }
  }

  @Test
  void aSnapshotOfASnapshotOfASnapshotHoldsTheFirst() {
    StorageBackend backend = world().backend();
    byte[] original = filled(V);
    byte[] volume = original.clone();
    backend.snapshot(V, S, Durability.RELAXED);
    apply(Change.OVERWRITE, V, '1', volume);
    backend.snapshot(S, T, Durability.RELAXED);
    apply(Change.INTO_A_HOLE, V, '2', volume);
    backend.snapshot(T, U, Durability.DURABLE);
    apply(Change.DISCARD, V, '3', volume);
    backend.delete(S);
    backend.delete(T);
    holds(U, original, "with the snapshots before it deleted");
    backend.delete(V);
    holds(U, original, "with its origin deleted");
    backend.fork(U, F, Durability.DURABLE);
    holds(F, original, "as a fork of a snapshot without ancestors");
  }

  @Test
  void forksOfOneSnapshotDoNotMeet() {
    StorageBackend backend = world().backend();
    byte[] original = filled(V);
    backend.seal(V, Durability.RELAXED);
    List<byte[]> contents = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      byte[] content = original.clone();
      backend.fork(V, NodeId.of("f" + i), Durability.RELAXED);
      apply(Change.values()[i % Change.values().length], NodeId.of("f" + i), 'a' + i, content);
      contents.add(content);
    }
    for (int i = 0; i < 8; i++) {
      holds(NodeId.of("f" + i), contents.get(i), "beside other forks");
    }
    holds(V, original, "with forks of it written");
  }

  /** A long random history against plain byte arrays. */
  @Test
  void aLongHistoryKeepsEveryGenerationApart() {
    StorageBackend backend = world().backend();
    Random random = new Random(42);
    Map<NodeId, byte[]> expected = new TreeMap<>();
    expected.put(V, filled(V));
    for (int i = 0; i < 250; i++) {
      List<NodeId> ids = new ArrayList<>(expected.keySet());
      NodeId from = ids.get(random.nextInt(ids.size()));
      byte[] content = Objects.requireNonNull(expected.get(from));
      boolean volume = backend.find(from).orElseThrow().kind() == Node.Kind.VOLUME;
      NodeId id = NodeId.of("n" + i);
      int choice = random.nextInt(10);
      if (choice < 4 && volume) {
        Change change = Change.values()[random.nextInt(Change.values().length - 1)];
        apply(change, from, 'a' + random.nextInt(26), content);
      } else if (choice < 6) {
        backend.snapshot(from, id, Durability.RELAXED);
        expected.put(id, content.clone());
      } else if (choice < 8 && !volume) {
        backend.fork(from, id, Durability.RELAXED);
        expected.put(id, content.clone());
      } else if (expected.size() > 12) {
        backend.delete(from);
        expected.remove(from);
      } else if (choice == 9 && volume && expected.size() > 4) {
        backend.seal(from, Durability.RELAXED);
      }
    }
    String when = "after a long history";
    expected.forEach((id, content) -> holds(id, content, when));
    world().reopen();
    expected.forEach((id, content) -> holds(id, content, when + " and a reopening"));
    assertEquals(
        List.copyOf(expected.keySet()), world().backend().list().stream().map(Node::id).toList());
    world().deleteAll(when);
  }
}
