// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.memory;

import static dev.ramet.tck.memory.MemoryWorld.HUGEPAGE;
import static dev.ramet.tck.memory.MemoryWorld.PAGES;
import static dev.ramet.tck.memory.TrackedProcess.PAGE;
import static org.junit.jupiter.api.Assertions.fail;

import dev.ramet.spi.memory.PageRanges;
import java.util.Random;

/**
 * A history of changes drawn at random, with captures whose rounds come between them. Used by one
 * thread.
 */
final class LiveHistory {
  private static final int GENERATIONS = 60;

  private final MemoryWorld world;
  private final Captures captures;
  private final PageOut pageOut;
  private final Random random = new Random(21);

  /** Advises the kernel to page memory out. */
  interface PageOut {
    void advise(int page, int count);
  }

  LiveHistory(MemoryWorld world, Captures captures, PageOut pageOut) {
    this.world = world;
    this.captures = captures;
    this.pageOut = pageOut;
  }

  void run() {
    for (int generation = 0; generation < GENERATIONS; generation++) {
      captures.startOver();
      for (int i = random.nextInt(4); i > 0; i--) {
        act();
        PageRanges ranges = captures.select();
        act();
        if (random.nextInt(4) != 0) {
          captures.copy(ranges);
        }
      }
      act();
      captures.selectOnly();
      if (random.nextInt(3) != 0) {
        captures.commit();
      }
    }
  }

  private void act() {
    for (int i = random.nextInt(20); i >= 0; i--) {
      int page = random.nextInt(PAGES);
      int most = 1 + random.nextInt(random.nextInt(10) == 0 ? 600 : 8);
      int count = Math.min(PAGES - page, most);
      switch (random.nextInt(8)) {
        case 0, 1 -> world.fill(page, count, random.nextInt(256));
        case 2, 3 -> world.poke(page, count, random.nextInt(PAGE));
        case 4 -> world.look(page, count);
        case 5 -> world.load(page, count, false);
        case 6 -> world.writeInChild(page, count, 0x77);
        case 7 -> {
          if (random.nextBoolean()) {
            world.advise(page, count, HUGEPAGE);
          } else {
            pageOut.advise(page, count);
          }
        }
        default -> fail();
      }
    }
  }
}
