// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.memory;

import static dev.ramet.tck.memory.MemoryWorld.HOLE;
import static dev.ramet.tck.memory.MemoryWorld.HOLE_PAGES;

import org.junit.jupiter.api.Test;

/**
 * Checks what the host does to memory whose hypervisor discards nothing: a mode may track such
 * memory in another way, above all where all of it belongs to the image.
 */
public abstract class MemoryKeptHostChecks extends MemoryHugePageChecks {
  /** Called by the kit. */
  protected MemoryKeptHostChecks() {}

  @Test
  void swappedPages() {
    try (SwapArea swap = SwapArea.on(world().directory)) {
      world().fill(0, 8, 1);
      world().look(16, 16);
      swap.takes(world(), 0, 64);
      try (Captures captures = captures()) {
        captures.capture();
        captures.capture();
        world().look(0, 2);
        world().poke(1, 2, 9);
        // Neither page was present when it was captured.
        world().poke(20, 2, 9);
        world().poke(40, 2, 9);
        swap.takes(world(), 0, 64);
        captures.capture();
        swap.takes(world(), 0, 64);
        captures.capture();
        world().poke(40, 1, 10);
        world().look(4, 2);
        captures.capture();
        world().look(0, 64);
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
        world().look(HOLE + 16, 8);
        world().fill(HOLE + 8, 4, 0);
        swap.takes(world(), HOLE, HOLE_PAGES);
        captures.capture();
      }
    }
  }

  /** A page under migration is absent for a moment. */
  @Test
  void pagesThatAreMoved() {
    world().fill(0, 600, 1);
    world().fill(1024, 400, 2);
    try (Compaction compaction = Compaction.start();
        Captures captures = captures()) {
      compaction.beside(world(), captures);
    }
  }
}
