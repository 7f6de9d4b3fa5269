// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.storage.check;

import static dev.ramet.tck.storage.World.PAGE;
import static dev.ramet.tck.storage.World.S;
import static dev.ramet.tck.storage.World.SIZE;
import static dev.ramet.tck.storage.World.V;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.Growable;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.StorageFacts;
import dev.ramet.spi.storage.StorageFeature;
import dev.ramet.spi.storage.Usage;
import dev.ramet.tck.storage.World;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Checks that every stated capability holds and that one that is not stated is absent. */
public abstract class CapabilityChecks {
  /** Called by the kit. */
  protected CapabilityChecks() {}

  private static final int DATA = 1 << 20;

  /** The space a file system may add to or hold back from a small file: metadata, preallocation. */
  private static final int SLACK = 256 << 10;

  public abstract World world();

  @Test
  void whatIsStatedIsThereAndWhatIsThereIsStated() {
    for (StorageFeature feature : StorageFeature.values()) {
      String type = feature.contract().getSimpleName();
      boolean stated = world().facts().features().contains(feature);
      boolean there = feature.contract().isInstance(world().backend());
      assertTrue(
          !stated || there,
          () ->
              "the probe states '"
                  + feature
                  + "' and the opened backend is no "
                  + type
                  + ": implement it or do not state it");
      assertTrue(
          stated || !there,
          () ->
              "the opened backend is a "
                  + type
                  + " and the probe does not state '"
                  + feature
                  + "': state it, or nobody will use it");
    }
  }

  @Test
  void aProbeStatesNoMoreThanTheBest() {
    StorageFacts best = world().harness().provider().atBest();
    StorageFacts stated = world().facts();
    assertTrue(
        best.features().containsAll(stated.features())
            && best.copy().compareTo(stated.copy()) <= 0
            && (stated.layeredReads() || !best.layeredReads())
            && (stated.movesOnWrite() || !best.movesOnWrite()),
        () -> "the probe states " + stated + ", which is better than atBest(): " + best);
  }

  private void data() {
    byte[] content = new byte[DATA];
    new Random(4).nextBytes(content);
    world().backend().create(V, DATA);
    world().write(V, 0, content);
    world().backend().flush(V);
  }

  private void about(long expected, long found, String what) {
    assertTrue(
        Math.abs(found - expected) <= SLACK,
        () -> what + " must be about " + expected + " bytes, and usage() says " + found);
  }

  @Test
  void usageTellsWhatANodeHolds() {
    data();
    Usage usage = world().backend().usage(V);
    about(DATA, usage.referencedBytes(), "what a volume with 1 MiB of data refers to");
    about(DATA, usage.exclusiveBytes(), "what deleting a volume without copies would free");
    world().backend().snapshot(V, S, Durability.DURABLE);
    for (Node node : world().backend().list()) {
      Usage copy = world().backend().usage(node.id());
      assertTrue(
          copy.exclusiveBytes() >= 0 && copy.exclusiveBytes() <= copy.referencedBytes(),
          () -> "exclusive bytes are a part of the referenced ones: " + copy);
      about(DATA, copy.referencedBytes(), "what a copy of 1 MiB of data refers to");
    }
  }

  @Test
  void copyOnWriteShowsInUsage() {
    if (!world().facts().copyOnWrite()) {
      // A backend that states that it copies bytes is not checked: its copies may cost anything.
      return;
    }
    StorageBackend backend = world().backend();
    data();
    backend.snapshot(V, S, Durability.DURABLE);
    String advice = " (the probe states copy-on-write: share blocks, or do not state it)";
    about(
        0,
        backend.usage(V).exclusiveBytes(),
        "what a volume has for itself after a snapshot" + advice);
    about(
        0, backend.usage(S).exclusiveBytes(), "what an unchanged snapshot has for itself" + advice);
    byte[] half = new byte[DATA / 2];
    new Random(5).nextBytes(half);
    world().write(V, 0, half);
    backend.flush(V);
    about(DATA / 2, backend.usage(V).exclusiveBytes(), "what was overwritten since the snapshot");
    // At most: where space is freed in whole extents, a deleted snapshot frees less or nothing.
    long kept = backend.usage(S).exclusiveBytes();
    assertTrue(
        kept <= DATA / 2 + SLACK,
        () -> "a snapshot has for itself at most what was overwritten since, not " + kept);
  }

  @Test
  void aVolumeGrows() {
    if (!(world().backend() instanceof Growable growable)) {
      return;
    }
    StorageBackend backend = world().backend();
    world().volume(V, '1');
    backend.snapshot(V, S, Durability.RELAXED);
    Node grown = growable.grow(V, 2 * SIZE);
    assertEquals(new Node(V, Node.Kind.VOLUME, V, 2 * SIZE), grown);
    assertEquals('1', world().read(V, 3), "growing must keep the content");
    assertEquals(0, world().read(V, 2 * SIZE / PAGE - 1), "what is added reads as zeros");
    world().write(V, 2 * SIZE / PAGE - 1, 'e');
    assertEquals(SIZE, backend.find(S).orElseThrow().sizeBytes(), "a snapshot keeps its size");
    assertEquals(grown, growable.grow(V, 2 * SIZE), "growing to the present size does nothing");
    refusal(ErrorCode.INVALID_ARGUMENT, "shrinking", () -> growable.grow(V, SIZE));
    refusal(ErrorCode.INVALID_ARGUMENT, "growing to a negative size", () -> growable.grow(V, -1));
    refusal(ErrorCode.CONFLICT, "growing a snapshot", () -> growable.grow(S, 2 * SIZE));
    refusal(ErrorCode.NOT_FOUND, "growing nothing", () -> growable.grow(World.T, SIZE));
    backend.fork(S, World.U, Durability.RELAXED);
    assertEquals(2 * SIZE, growable.grow(World.U, 2 * SIZE).sizeBytes());
    assertEquals('1', world().read(World.U, 3), "a fork that grows keeps its source's content");
    assertEquals(0, world().read(World.U, 2 * SIZE / PAGE - 1), "and its own end reads as zeros");
    backend.delete(World.U);
    world().reopen();
    assertEquals(grown, world().backend().find(V).orElseThrow(), "a new size must be kept");
    assertEquals('e', world().read(V, 2 * SIZE / PAGE - 1));
    assertEquals(
        2 * SIZE,
        world().backend().snapshot(V, World.T, Durability.RELAXED).sizeBytes(),
        "a snapshot of a grown volume has its size");
    world().backend().create(World.U, SIZE);
    try {
      ((Growable) world().backend()).grow(World.U, Long.MAX_VALUE);
    } catch (RametException e) {
      assertEquals(
          ErrorCode.INVALID_ARGUMENT, e.code(), () -> "larger than the host can represent: " + e);
      assertEquals(SIZE, world().backend().find(World.U).orElseThrow().sizeBytes());
    }
  }

  private void refusal(ErrorCode code, String what, Runnable call) {
    world().refusedWithoutTrace(code, what, call);
  }
}
