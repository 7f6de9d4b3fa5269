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
import dev.ramet.spi.storage.Growable;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.tck.storage.StepControl;
import dev.ramet.tck.storage.World;
import dev.ramet.tck.support.Threads;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Checks that a prepared copy equals the copy that would have been made at once. */
public abstract class PreparationChecks {
  /** Called by the kit. */
  protected PreparationChecks() {}

  /**
   * Every other page is written, so that the data has more extents than any backend regards as few.
   */
  private static final int PAGES = 1024;

  private static final int BYTES = PAGES * PAGE;
  private static final double BACKGROUND = 0.5;

  public abstract World world();

  private boolean asked() {
    return world().backend() instanceof CopyPreparation;
  }

  private void prepare(NodeId id, double share) {
    ((CopyPreparation) world().backend()).prepare(id, share);
  }

  /** Creates a volume with many extents, each with its own value. */
  private byte[] scattered(NodeId id) {
    byte[] content = new byte[BYTES];
    world().backend().create(id, BYTES);
    for (int page = 0; page < PAGES; page += 2) {
      write(id, content, page, 1, page % 250 + 1);
    }
    world().backend().flush(id);
    return content;
  }

  private void write(NodeId id, byte[] content, int page, int pages, int value) {
    byte[] bytes = new byte[pages * PAGE];
    Arrays.fill(bytes, (byte) value);
    world().write(id, (long) page * PAGE, bytes);
    System.arraycopy(bytes, 0, content, page * PAGE, bytes.length);
  }

  private void discard(NodeId id, byte[] content, int page, int pages) {
    world().discard(id, (long) page * PAGE, (long) pages * PAGE);
    Arrays.fill(content, page * PAGE, (page + pages) * PAGE, (byte) 0);
  }

  private void holds(NodeId id, byte[] expected, String when) {
    byte[] found = world().bytes(id, 0, expected.length);
    int at = Arrays.mismatch(expected, found);
    assertEquals(
        -1, at, () -> id + " is wrong at page " + at / PAGE + " " + when + ": a copy made ahead");
  }

  @Test
  void aForkMadeAheadIsTheSnapshotAndThenItsOwn() {
    if (!asked()) {
      return;
    }
    StorageBackend backend = world().backend();
    byte[] content = scattered(V);
    backend.snapshot(V, S, Durability.RELAXED);
    for (Durability durability : Durability.values()) {
      prepare(S, durability == Durability.DURABLE ? BACKGROUND : 1);
      prepare(S, 1);
      backend.fork(S, F, durability);
      backend.fork(S, T, durability);
      byte[] fork = content.clone();
      write(F, fork, 6, 3, 'f');
      holds(F, fork, "after a write to it");
      holds(T, content, "beside one that was prepared");
      holds(S, content, "after a write to its fork");
      backend.delete(F);
      backend.delete(T);
    }
    prepare(S, 1);
    backend.snapshot(S, T, Durability.RELAXED);
    holds(T, content, "as the snapshot of a snapshot");
    world().deleteAll("with copies made ahead");
  }

  @Test
  void aSnapshotIsTheVolumeAtItsInstantHoweverLongAgoItWasPrepared() throws Exception {
    if (!asked()) {
      return;
    }
    StorageBackend backend = world().backend();
    byte[] content = scattered(V);
    Random random = new Random(7);
    for (int round = 0; round < 20; round++) {
      NodeId snapshot = NodeId.of("r" + round);
      prepare(V, round % 3 == 0 ? BACKGROUND : 1);
      if (round % 4 < 3) {
        write(V, content, random.nextInt(PAGES - 2), 1 + random.nextInt(2), 'a' + round);
        discard(V, content, random.nextInt(PAGES - 9), 1 + random.nextInt(8));
      }
      if (round % 4 == 1) {
        prepare(V, 1);
      }
      backend.snapshot(V, snapshot, Durability.RELAXED);
      byte[] then = content.clone();
      write(V, content, random.nextInt(PAGES), 1, 'A' + round);
      holds(snapshot, then, "in round " + round);
      holds(V, content, "in round " + round);
    }
    world().deleteAll("with copies made ahead");
  }

  @Test
  void aVolumeIsPreparedWhileItIsWritten() throws Exception {
    if (!asked()) {
      return;
    }
    StorageBackend backend = world().backend();
    byte[] content = scattered(V);
    for (int round = 0; round < 8; round++) {
      AtomicBoolean stop = new AtomicBoolean();
      int value = 'a' + round;
      Random random = new Random(round);
      Threads.run(
          2,
          thread -> {
            if (thread == 0) {
              while (!stop.get()) {
                write(V, content, random.nextInt(PAGES), 1, value);
              }
            } else {
              try {
                prepare(V, BACKGROUND);
                prepare(V, 1);
              } finally {
                stop.set(true);
              }
            }
          });
      NodeId snapshot = NodeId.of("r" + round);
      backend.snapshot(V, snapshot, Durability.RELAXED);
      holds(snapshot, content, "prepared while it was written, round " + round);
    }
  }

  @Test
  void whatChangesASourceEndsItsPreparation() {
    if (!asked()) {
      return;
    }
    StorageBackend backend = world().backend();
    byte[] content = scattered(V);
    prepare(V, 1);
    if (backend instanceof Growable growable) {
      growable.grow(V, 2L * BYTES);
      assertEquals(2L * BYTES, backend.snapshot(V, S, Durability.RELAXED).sizeBytes());
      content = Arrays.copyOf(content, 2 * BYTES);
      holds(S, content, "of a volume that grew");
      prepare(V, 1);
    }
    write(V, content, 3, 1, 's');
    backend.seal(V, Durability.RELAXED);
    backend.fork(V, F, Durability.RELAXED);
    holds(F, content, "of a volume that was sealed");
    prepare(V, 1);
    ((CopyPreparation) backend).discard(V);
    ((CopyPreparation) backend).discard(V);
    prepare(V, BACKGROUND);
    world().deleteAll("with copies made ahead");
    world().refusedWithoutTrace(ErrorCode.NOT_FOUND, "preparing nothing", () -> prepare(V, 1));
    world()
        .refusedWithoutTrace(
            ErrorCode.INVALID_ARGUMENT, "preparing at no share of the time", () -> prepare(V, 0));
    scattered(V);
    world()
        .refusedWithoutTrace(
            ErrorCode.INVALID_ARGUMENT, "preparing at no share of the time", () -> prepare(V, 0));
  }

  @Test
  void aKillWhileACopyIsMadeAheadLeavesNothing() {
    if (!asked()) {
      return;
    }
    StepControl steps = world().harness().steps().orElse(null);
    if (steps == null) {
      abort("the harness has no steps");
      return;
    }
    scattered(V);
    world().backend().snapshot(V, S, Durability.DURABLE);
    Mutation.Call call =
        backend -> {
          CopyPreparation ahead = (CopyPreparation) backend;
          ahead.prepare(V, 1);
          ahead.prepare(S, BACKGROUND);
          backend.fork(S, F, Durability.DURABLE);
        };
    Map<NodeId, String> before = world().state();
    world().backend().close();
    int opening = CrashChecks.killed(steps, Killer.NEVER, backend -> {});
    int total = CrashChecks.killed(steps, Killer.NEVER, call);
    world().use(world().open());
    Map<NodeId, String> after = world().state();
    String present = world().harness().traces();
    world().backend().delete(F);
    String absent = world().harness().traces();
    for (int step = opening; step < total; step++) {
      world().backend().close();
      CrashChecks.killed(steps, step, call);
      world().use(world().open());
      boolean made = world().backend().find(F).isPresent();
      assertEquals(made ? after : before, world().state(), "killed before step " + step);
      assertEquals(made ? present : absent, world().harness().traces());
      world().backend().delete(F);
    }
  }

  @Test
  void threadsThatPrepareAndDeleteAtOnceLeaveWhatTheySay() throws Exception {
    if (!asked()) {
      return;
    }
    StorageBackend backend = world().backend();
    byte[] content = scattered(V);
    backend.snapshot(V, S, Durability.RELAXED);
    Threads.run(
        16,
        thread -> {
          Random random = new Random(thread);
          for (int i = 0; i < 40; i++) {
            NodeId id = NodeId.of("n" + random.nextInt(4));
            NodeId from = random.nextBoolean() ? S : NodeId.of("n" + random.nextInt(4));
            try {
              switch (random.nextInt(6)) {
                case 0, 1 -> prepare(from, random.nextBoolean() ? BACKGROUND : 1);
                case 2 -> backend.fork(from, id, Durability.RELAXED);
                case 3 -> backend.snapshot(from, id, Durability.RELAXED);
                case 4 -> ((CopyPreparation) backend).discard(from);
                default -> backend.delete(id);
              }
            } catch (RametException e) {
              assertTrue(
                  e.code() == ErrorCode.NOT_FOUND
                      || e.code() == ErrorCode.ALREADY_EXISTS
                      || e.code() == ErrorCode.CONFLICT,
                  () -> "no other thread explains this failure: " + e);
            }
          }
        });
    for (var node : backend.list()) {
      assertArrayEquals(content, world().bytes(node.id(), 0, BYTES), () -> "of " + node.id());
    }
    world().deleteAll("after threads that prepare");
  }
}
