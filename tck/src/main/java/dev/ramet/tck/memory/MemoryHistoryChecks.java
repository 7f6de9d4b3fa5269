// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.memory;

import static dev.ramet.tck.memory.MemoryWorld.HUGEPAGE;
import static dev.ramet.tck.memory.MemoryWorld.PAGES;
import static dev.ramet.tck.memory.TrackedProcess.PAGE;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** Checks long histories of random operations, in which some captures fail. */
public abstract class MemoryHistoryChecks {
  /** Called by the kit. */
  protected MemoryHistoryChecks() {}

  public abstract MemoryWorld world();

  private static final int GENERATIONS = 40;

  private void act(Random random, boolean remaps) {
    for (int i = random.nextInt(30); i >= 0; i--) {
      int page = random.nextInt(PAGES);
      int most = 1 + random.nextInt(random.nextInt(10) == 0 ? 600 : 8);
      int count = Math.min(PAGES - page, most);
      switch (random.nextInt(remaps ? 12 : 10)) {
        case 0, 1 -> world().fill(page, count, random.nextInt(256));
        case 2, 3 -> world().poke(page, count, random.nextInt(PAGE));
        case 4 -> world().look(page, count);
        case 5 -> world().discard(page, count);
        case 6 -> world().load(page, count, false);
        case 7 -> world().writeInChild(page, count, 0x77);
        case 8 -> {
          world().discard(page, count);
          world().look(page, (count + 1) / 2);
          if (random.nextBoolean()) {
            world().poke(page, (count + 2) / 3, 1);
          }
        }
        case 9 -> world().advise(page, count, HUGEPAGE);
        default -> world().replaceByAnonymous(page, count);
      }
    }
  }

  private void history(long seed, boolean remaps) {
    Random random = new Random(seed);
    act(random, remaps);
    try (Captures captures = world().captures()) {
      for (int generation = 0; generation < GENERATIONS; generation++) {
        act(random, remaps);
        captures.selectOnly();
        if (random.nextInt(3) != 0) {
          captures.commit();
        }
      }
    }
  }

  @Test
  void ofTheImage() {
    history(11, false);
  }

  @Test
  void ofMemoryThatIsReplaced() {
    history(12, true);
  }

  @Test
  void ofHugePages() {
    world().replaceByAnonymous(8, 2040);
    world().advise(8, 2040, HUGEPAGE);
    world().look(8, 600);
    world().fill(900, 1140, 7);
    history(13, false);
  }
}
