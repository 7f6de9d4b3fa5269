// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.memory;

import static dev.ramet.tck.memory.MemoryWorld.FREE;
import static dev.ramet.tck.memory.MemoryWorld.HOLE;
import static dev.ramet.tck.memory.MemoryWorld.HOLE_PAGES;
import static dev.ramet.tck.memory.MemoryWorld.PAGEOUT;

import dev.ramet.tck.support.Requirement;
import org.junit.jupiter.api.Test;

/**
 * Checks that memory returned to the kernel, as by a balloon, counts as changed without a write.
 */
public abstract class MemoryDiscardChecks {
  /** Called by the kit. */
  protected MemoryDiscardChecks() {}

  public abstract MemoryWorld world();

  @Test
  void discardedPagesHoldTheImageAgain() {
    world().fill(0, 64, 1);
    try (Captures captures = world().captures()) {
      captures.capture();
      world().discard(8, 16);
      captures.capture();
      captures.capture();
    }
  }

  @Test
  void discardedPagesWhereTheImageHasAHole() {
    world().fill(HOLE, HOLE_PAGES, 1);
    try (Captures captures = world().captures()) {
      captures.capture();
      world().discard(HOLE + 8, 16);
      captures.capture();
      world().look(HOLE + 8, 8);
      world().poke(HOLE + 12, 2, 5);
      captures.capture();
    }
  }

  @Test
  void discardedPagesThatWereReadAgain() {
    world().fill(0, 64, 1);
    try (Captures captures = world().captures()) {
      captures.capture();
      world().discard(8, 16);
      world().look(8, 8);
      captures.capture();
      world().look(16, 8);
      captures.capture();
      world().poke(12, 8, 5);
      captures.capture();
    }
  }

  @Test
  void discardedAnonymousMemoryIsZero() {
    world().replaceByAnonymous(200, 100);
    world().fill(210, 50, 1);
    try (Captures captures = world().captures()) {
      captures.capture();
      world().discard(215, 20);
      captures.capture();
      captures.capture();
      world().poke(220, 2, 0);
      captures.capture();
    }
  }

  @Test
  void theSharedPageOfZeros() {
    world().replaceByAnonymous(200, 100);
    world().look(200, 50);
    world().fill(260, 20, 1);
    try (Captures captures = world().captures()) {
      captures.capture();
      world().discard(260, 10);
      world().look(260, 5);
      captures.capture();
      world().poke(210, 5, 3);
      world().poke(262, 2, 3);
      captures.capture();
    }
  }

  @Test
  void pagesThatWereWrittenAndDiscardedBetweenTwoCaptures() {
    try (Captures captures = world().captures()) {
      captures.capture();
      world().fill(0, 32, 1);
      world().discard(0, 16);
      captures.capture();
      world().discard(16, 8);
      world().fill(20, 2, 2);
      captures.capture();
    }
  }

  /** The kernel may drop such pages at any time, or keep them. */
  @Test
  void pagesThatMayBeDropped() {
    world().replaceByAnonymous(200, 100);
    world().fill(200, 100, 1);
    try (Captures captures = world().captures()) {
      captures.capture();
      int errno = world().advise(210, 40, FREE);
      Requirement.ofKernel("madv-free", errno == 0, "MADV_FREE answered errno " + errno);
      world().advise(210, 20, PAGEOUT);
      world().poke(245, 10, 3);
      world().observe(200, 100, "given up (MADV_FREE) in part");
      captures.capture();
      captures.capture();
    }
  }
}
