// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.memory;

import static dev.ramet.tck.memory.MemoryWorld.BYTES;
import static dev.ramet.tck.memory.TrackedProcess.PAGE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.MemoryFeature;
import dev.ramet.spi.memory.MemoryRegion;
import dev.ramet.spi.memory.MemoryTracker;
import dev.ramet.spi.memory.PageRanges;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Checks memory whose mappings change, and mappings with unusual bounds. */
public abstract class MemoryLayoutChecks {
  /** Called by the kit. */
  protected MemoryLayoutChecks() {}

  public abstract MemoryWorld world();

  @Test
  void partsThatBecameAnonymous() {
    world().fill(100, 100, 1);
    try (Captures captures = world().captures()) {
      captures.capture();
      world().replaceByAnonymous(150, 100);
      world().poke(160, 4, 0);
      captures.captureEvenIfLost();
      world().replaceByAnonymous(155, 10);
      captures.captureEvenIfLost();
      world().poke(156, 2, 0);
      captures.captureEvenIfLost();
    }
  }

  @Test
  void partsThatWereMappedAnew() {
    world().fill(100, 100, 1);
    try (Captures captures = world().captures()) {
      captures.capture();
      world().replaceByImage(150, 10);
      world().poke(155, 2, 0);
      captures.captureEvenIfLost();
      world().replaceByAnonymous(300, 10);
      captures.captureEvenIfLost();
      world().replaceByImage(300, 10);
      captures.captureEvenIfLost();
      world().poke(100, 300, 1);
      captures.capture();
    }
  }

  @Test
  void partsThatWereMovedElsewhere() {
    world().fill(100, 100, 1);
    try (Captures captures = world().captures()) {
      captures.capture();
      world().process.does("move", 120, 40);
      captures.captureEvenIfLost();
      captures.capture();
    }
  }

  @Test
  void mappingsThatWereCutAndJoined() {
    world().fill(100, 100, 1);
    try (Captures captures = world().captures()) {
      captures.capture();
      world().poke(110, 4, 1);
      world().process.does("toggle", 105, 20);
      captures.capture();
      world().poke(115, 20, 1);
      captures.capture();
    }
  }

  @Test
  void aPartThatIsGoneIsRefused() {
    world().fill(100, 100, 1);
    try (Captures captures = world().captures()) {
      captures.capture();
      world().process.does("unmap", 150, 10);
      GuestMemory gap = world().memory();
      refused(captures.tracker(), gap);
      refused(captures.tracker(), new GuestMemory(gap.pid(), 2 * BYTES, gap.regions()));
      world().replaceByAnonymous(150, 10);
      world().poke(140, 30, 2);
      captures.captureEvenIfLost();
      captures.capture();
    }
    GuestMemory whole = world().memory();
    List<MemoryRegion> first = whole.regions().subList(0, 1);
    GuestMemory half = new GuestMemory(whole.pid(), BYTES, first);
    RametException e =
        assertThrows(
            RametException.class,
            () -> world().mode.attach(half).close(),
            "attaching to memory of which a part is missing must be refused");
    assertEquals(ErrorCode.CORRUPT, e.code());
  }

  private static void refused(MemoryTracker tracker, GuestMemory memory) {
    RametException e =
        assertThrows(
            RametException.class,
            () -> tracker.select(memory),
            "a part of the memory is not mapped: refuse it, its content would be lost");
    assertEquals(ErrorCode.CORRUPT, e.code());
  }

  /** As in a machine with 5 GiB, whose memory continues above the PCI hole. */
  @Test
  void memoryAboveFourGibibytes() throws Exception {
    try (SparseMemory sparse = new SparseMemory(world().directory, 5L << 30, world().logs());
        MemoryTracker tracker = world().mode.attach(sparse.memory())) {
      sparse.write(0, 1);
      sparse.write((3L << 30) / PAGE - 1, 2);
      sparse.write((3L << 30) / PAGE, 3);
      sparse.write((4L << 30) / PAGE - 1, 4);
      sparse.write((4L << 30) / PAGE, 5);
      sparse.write((5L << 30) / PAGE - 1, 6);
      sparse.check(tracker.select(sparse.memory()));
      tracker.committed();
      sparse.forget(world().states(MemoryFeature.SINCE_CAPTURE));
      sparse.write((4L << 30) / PAGE, 7);
      sparse.write((4L << 30) / PAGE + 1, 8);
      sparse.write(7, 9);
      PageRanges ranges = tracker.select(sparse.memory());
      sparse.check(ranges);
      world().captures(tracker).atMost(ranges, 3, "three pages were written");
    }
  }
}
