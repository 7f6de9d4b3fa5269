// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.memory;

import static dev.ramet.tck.memory.MemoryWorld.HOLE;
import static dev.ramet.tck.memory.MemoryWorld.HOLE_PAGES;
import static dev.ramet.tck.memory.MemoryWorld.HUGE;

import org.junit.jupiter.api.Test;

/** Checks that nothing the host does to untouched memory changes its content. */
public abstract class MemoryHostChecks extends MemoryHugePageChecks {
  /** Called by the kit. */
  protected MemoryHostChecks() {}

  @Test
  void swappedPages() {
    try (SwapArea swap = SwapArea.on(world().directory)) {
      world().replaceByAnonymous(32, 32);
      world().fill(0, 8, 1);
      world().fill(40, 8, 1);
      swap.takes(world(), 0, 64);
      try (Captures captures = captures()) {
        captures.capture();
        captures.capture();
        world().look(0, 2);
        world().poke(1, 2, 9);
        world().poke(41, 1, 9);
        swap.takes(world(), 0, 64);
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
      swap.takes(world(), HOLE, HOLE_PAGES);
      try (Captures captures = captures()) {
        captures.capture();
        world().look(HOLE, 2);
        world().poke(HOLE + 20, 2, 9);
        swap.takes(world(), HOLE + 16, HOLE_PAGES - 16);
        captures.capture();
        world().discard(HOLE + 8, 4);
        captures.capture();
      }
    }
  }

  @Test
  void hugePagesThatAreSplit() {
    hugePages();
    try (Captures captures = captures()) {
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

  /** A page under migration is absent for a moment. */
  @Test
  void pagesThatAreMoved() {
    world().replaceByAnonymous(1024, 512);
    world().fill(0, 600, 1);
    world().fill(1024, 400, 2);
    try (Compaction compaction = Compaction.start();
        Captures captures = captures()) {
      compaction.beside(world(), captures);
    }
  }
}
