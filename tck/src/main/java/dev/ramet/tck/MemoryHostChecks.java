// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck;

import static dev.ramet.tck.MemoryWorld.COLLAPSE;
import static dev.ramet.tck.MemoryWorld.HOLE;
import static dev.ramet.tck.MemoryWorld.HOLE_PAGES;
import static dev.ramet.tck.MemoryWorld.HUGE;
import static dev.ramet.tck.MemoryWorld.HUGEPAGE;
import static dev.ramet.tck.MemoryWorld.PAGEOUT;
import static dev.ramet.tck.TrackedProcess.SWAPPED;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** What the host does to memory that nobody touches changes nothing. */
abstract class MemoryHostChecks {
  private static final int ATTEMPTS = 50;

  abstract MemoryWorld world();

  @Test
  void swappedPages() {
    try (SwapArea swap = SwapArea.on(world().directory)) {
      world().replaceByAnonymous(32, 32);
      world().fill(0, 8, 1);
      world().fill(40, 8, 1);
      swapOut(0, 64);
      try (Captures captures = world().captures()) {
        captures.capture();
        captures.capture();
        world().look(0, 2);
        world().poke(1, 2, 9);
        world().poke(41, 1, 9);
        swapOut(0, 64);
        captures.capture();
        world().discard(4, 1);
        world().discard(44, 1);
        captures.capture();
        world().look(4, 1);
        world().look(42, 2);
        captures.capture();
        captures.capture();
      }
    }
  }

  @Test
  void swappedPagesWhereTheImageHasAHole() {
    try (SwapArea swap = SwapArea.on(world().directory)) {
      world().fill(HOLE, 16, 1);
      world().look(HOLE + 16, 4);
      swapOut(HOLE, HOLE_PAGES);
      try (Captures captures = world().captures()) {
        captures.capture();
        world().look(HOLE, 2);
        world().poke(HOLE + 20, 2, 9);
        swapOut(HOLE + 16, HOLE_PAGES - 16);
        captures.capture();
        world().discard(HOLE + 8, 4);
        captures.capture();
      }
    }
  }

  /**
   * The kernel leaves pages that are busy, for one those that another processor has yet to put on
   * its lists of pages: it is asked again.
   */
  private void swapOut(int page, int count) {
    int swapped = 0;
    for (int attempt = 0; swapped == 0 && attempt < ATTEMPTS; attempt++) {
      if (attempt > 0) {
        pause();
      }
      Requirement.ofKernel("swap", world().advise(page, count, PAGEOUT) == 0, "no MADV_PAGEOUT");
      swapped = noteSwapped(page, count);
    }
    Requirement.ofKernel("swap", swapped > 0, "nothing was swapped out");
  }

  private int noteSwapped(int page, int count) {
    int swapped = 0;
    for (int i = page; i < page + count; i++) {
      if ((world().entry(i) & SWAPPED) != 0) {
        world().note(i, 1, "then swapped out");
        swapped++;
      }
    }
    return swapped;
  }

  private static void pause() {
    try {
      Thread.sleep(100);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  private void hugePages() {
    world().replaceByAnonymous(HUGE, 2 * HUGE);
    world().advise(HUGE, 2 * HUGE, HUGEPAGE);
    // Written before it is read: a read would map the huge page of zeros, which a write then
    // splits.
    world().fill(HUGE + 7, 1, 7);
    world().fill(2 * HUGE + 7, 1, 7);
    world().note(HUGE, 2 * HUGE, "in a huge page");
    String off = "no transparent huge pages (/sys/kernel/mm/transparent_hugepage/enabled)";
    Requirement.ofKernel("thp", world().process.hugeBytes() > 0, off);
  }

  @Test
  void hugePagesAreWhole() {
    hugePages();
    try (Captures captures = world().captures()) {
      captures.capture();
      world().poke(HUGE + 100, 1, 3);
      world().poke(2 * HUGE + 100, 1, 3);
      captures.capture();
      world().poke(2 * HUGE - 1, 1, 4095);
      captures.capture();
    }
  }

  @Test
  void hugePagesThatAreSplit() {
    hugePages();
    try (Captures captures = world().captures()) {
      captures.capture();
      world().discard(HUGE + 100, 10);
      captures.capture();
      world().poke(HUGE + 105, 20, 8);
      captures.capture();
      world().replaceByAnonymous(HUGE + 200, 10);
      captures.capture();
      world().discard(HUGE, HUGE);
      world().look(HUGE, 1);
      captures.capture();
      world().poke(HUGE + 9, 1, 8);
      captures.capture();
    }
  }

  @Test
  void theHugePageOfZeros() {
    world().replaceByAnonymous(HUGE, 2 * HUGE);
    world().advise(HUGE, 2 * HUGE, HUGEPAGE);
    world().look(HUGE + 1, 1);
    try (Captures captures = world().captures()) {
      captures.capture();
      world().look(2 * HUGE, 1);
      captures.capture();
      world().poke(HUGE + 50, 2, 1);
      captures.capture();
    }
  }

  @Test
  void pagesThatAreGatheredIntoAHugeOne() {
    world().replaceByAnonymous(HUGE, HUGE);
    for (int page = HUGE; page < 2 * HUGE; page += 3) {
      world().poke(page, 1, 5);
    }
    try (Captures captures = world().captures()) {
      captures.capture();
      world().poke(HUGE + 30, 3, 6);
      int errno = world().advise(HUGE, HUGE, COLLAPSE);
      world().note(HUGE, HUGE, "gathered into a huge page (errno " + errno + ")");
      captures.capture();
      world().poke(HUGE + 31, 1, 7);
      captures.capture();
    }
  }

  /** Pages on their way to another place are not there for a moment. */
  @Test
  void pagesThatAreMoved() {
    world().replaceByAnonymous(1024, 512);
    world().fill(0, 600, 1);
    world().fill(1024, 400, 2);
    try (Compaction compaction = Compaction.start();
        Captures captures = world().captures()) {
      Random random = new Random(3);
      do {
        for (int i = 0; i < 10; i++) {
          captures.selectOnly();
        }
        for (int i = 0; i < 20; i++) {
          world().poke(random.nextInt(MemoryWorld.PAGES), 1, random.nextInt(4096));
        }
        captures.capture();
      } while (!compaction.moved());
    }
  }
}
