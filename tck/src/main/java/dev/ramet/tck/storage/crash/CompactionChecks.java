// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.storage.crash;

import static dev.ramet.tck.storage.World.F;
import static dev.ramet.tck.storage.World.PAGE;
import static dev.ramet.tck.storage.World.S;
import static dev.ramet.tck.storage.World.T;
import static dev.ramet.tck.storage.World.V;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.storage.CopyPreparation;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.ImageCompaction;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.Usage;
import dev.ramet.tck.storage.StepControl;
import dev.ramet.tck.storage.World;
import dev.ramet.tck.support.Threads;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Checks that a compacted snapshot keeps its content for everybody, and costs at most what was
 * allowed.
 */
public abstract class CompactionChecks {
  /** Called by the kit. */
  protected CompactionChecks() {}

  private static final int PAGES = 512;
  private static final int BYTES = PAGES * PAGE;
  private static final int GENERATIONS = 4;
  private static final double BACKGROUND = 0.5;

  public abstract World world();

  private boolean asked() {
    return world().backend() instanceof ImageCompaction;
  }

  private ImageCompaction.Compacted compact(NodeId id, long mostAddedBytes, double share) {
    return ((ImageCompaction) world().backend()).compact(id, mostAddedBytes, share);
  }

  /**
   * Creates the snapshot {@code s} of a volume that was written through generations of snapshots.
   */
  private byte[] aged() {
    StorageBackend backend = world().backend();
    byte[] content = new byte[BYTES];
    // The last quarter stays a hole.
    byte[] filling = new byte[BYTES / 4 * 3];
    new Random(1).nextBytes(filling);
    System.arraycopy(filling, 0, content, 0, filling.length);
    backend.create(V, BYTES);
    world().write(V, 0, filling);
    for (int i = 0; i < GENERATIONS; i++) {
      backend.snapshot(V, NodeId.of("g" + i), Durability.RELAXED);
      for (int page = i; page < PAGES / 4 * 3; page += 5) {
        byte[] bytes = new byte[PAGE];
        Arrays.fill(bytes, (byte) (page + i));
        world().write(V, (long) page * PAGE, bytes);
        System.arraycopy(bytes, 0, content, page * PAGE, PAGE);
      }
      backend.flush(V);
    }
    backend.snapshot(V, S, Durability.DURABLE);
    return content;
  }

  private void holds(NodeId id, byte[] expected, String when) {
    byte[] found = world().bytes(id, 0, expected.length);
    int at = Arrays.mismatch(expected, found);
    assertEquals(-1, at, () -> id + " is wrong at page " + at / PAGE + " " + when);
  }

  @Test
  void aSnapshotLaidOutAnewIsTheSameInFewerPieces() {
    if (!asked()) {
      return;
    }
    StorageBackend backend = world().backend();
    byte[] content = aged();
    Map<NodeId, String> before = world().state();
    Usage usage = backend.usage(S);
    ImageCompaction.Compacted done = compact(S, Long.MAX_VALUE, BACKGROUND);
    String told = " (" + done + ")";
    assertEquals(before, world().state(), "laying out anew must not change a byte" + told);
    assertTrue(done.piecesAfter() <= done.piecesBefore(), () -> "never more pieces" + told);
    assertTrue(
        done.writtenBytes() == 0 || done.piecesAfter() < done.piecesBefore(),
        () -> "what is written anew is to lie in fewer pieces" + told);
    assertEquals(
        usage.referencedBytes(), backend.usage(S).referencedBytes(), "a hole must stay one" + told);
    assertEquals(0, compact(S, Long.MAX_VALUE, 1).writtenBytes(), "once is enough");
    backend.fork(S, F, Durability.RELAXED);
    byte[] fork = content.clone();
    byte[] page = new byte[PAGE];
    Arrays.fill(page, (byte) 'f');
    world().write(F, 5L * PAGE, page);
    System.arraycopy(page, 0, fork, 5 * PAGE, PAGE);
    holds(F, fork, "after a write to it");
    holds(S, content, "after a write to its fork");
    world().reopen();
    holds(S, content, "after it was opened again");
    world().deleteAll("after a snapshot was laid out anew");
  }

  @Test
  void noMoreIsAddedThanMayBe() {
    if (!asked()) {
      return;
    }
    byte[] content = aged();
    ImageCompaction.Compacted none = compact(S, 0, 1);
    assertEquals(0, none.addedBytes(), "nothing may be added: " + none);
    long most = BYTES / 4;
    ImageCompaction.Compacted some = compact(S, most, 1);
    assertTrue(some.addedBytes() <= most, () -> "at most " + most + " may be added: " + some);
    holds(S, content, "laid out anew in part");
    // A prepared copy must not interfere, neither by its content nor by its space.
    if (world().backend() instanceof CopyPreparation ahead) {
      ahead.prepare(S, 1);
      compact(S, Long.MAX_VALUE, 1);
      ahead.prepare(S, 1);
      world().backend().fork(S, F, Durability.RELAXED);
      holds(F, content, "a fork made ahead of a snapshot laid out anew");
    }
    world().deleteAll("after a snapshot was laid out anew in part");
  }

  @Test
  void onlySnapshotsAreLaidOutAnew() {
    if (!asked()) {
      return;
    }
    aged();
    World world = world();
    world.refusedWithoutTrace(ErrorCode.CONFLICT, "a volume laid out anew", () -> compact(V, 1, 1));
    world.refusedWithoutTrace(ErrorCode.NOT_FOUND, "nothing laid out anew", () -> compact(T, 1, 1));
    world.refusedWithoutTrace(
        ErrorCode.INVALID_ARGUMENT, "adding less than nothing", () -> compact(S, -1, 1));
    world.refusedWithoutTrace(
        ErrorCode.INVALID_ARGUMENT, "at no share of the time", () -> compact(S, 1, 0));
  }

  @Test
  void aKillAtAnyStepLeavesTheSameSnapshot() {
    if (!asked()) {
      return;
    }
    StepControl steps = world().harness().steps().orElse(null);
    if (steps == null) {
      abort("the harness has no steps");
      return;
    }
    Mutation.Call call =
        backend -> ((ImageCompaction) backend).compact(S, Long.MAX_VALUE, BACKGROUND);
    aged();
    Map<NodeId, String> before = world().state();
    world().backend().close();
    int opening = CrashChecks.killed(steps, Killer.NEVER, backend -> {});
    int total = CrashChecks.killed(steps, Killer.NEVER, call);
    world().use(world().open());
    String traces = world().harness().traces();
    for (int step = opening; step < total; step++) {
      world().deleteAll("after a kill");
      aged();
      world().backend().close();
      CrashChecks.killed(steps, step, call);
      world().use(world().open());
      assertEquals(before, world().state(), "killed before step " + (step - opening));
      assertEquals(traces, world().harness().traces(), "killed before step " + (step - opening));
    }
  }

  @Test
  void readersForksAndDeletionsGoOnMeanwhile() throws Exception {
    if (!asked()) {
      return;
    }
    StorageBackend backend = world().backend();
    byte[] content = aged();
    Threads.run(
        8,
        thread -> {
          Random random = new Random(thread);
          for (int i = 0; i < 25; i++) {
            NodeId id = NodeId.of("n" + random.nextInt(3));
            NodeId from = random.nextBoolean() ? S : id;
            try {
              switch (random.nextInt(5)) {
                case 0 -> compact(from, random.nextInt(2) * (long) BYTES, 0.5 + thread / 16.0);
                case 1 -> backend.snapshot(S, id, Durability.RELAXED);
                case 2 -> backend.fork(from, NodeId.of("f" + thread), Durability.RELAXED);
                case 3 -> holds(S, content, "read while it is laid out anew");
                default -> backend.delete(random.nextBoolean() ? id : NodeId.of("f" + thread));
              }
            } catch (RametException e) {
              assertTrue(
                  e.code() == ErrorCode.NOT_FOUND || e.code() == ErrorCode.ALREADY_EXISTS,
                  () -> "no other thread explains this failure: " + e);
            }
          }
        });
    for (var node : backend.list()) {
      if (node.sizeBytes() == BYTES && !node.id().value().startsWith("g")) {
        assertArrayEquals(content, world().bytes(node.id(), 0, BYTES), () -> "of " + node.id());
      }
    }
    world().deleteAll("after threads that lay out anew");
  }
}
