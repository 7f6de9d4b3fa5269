// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.memory;

import static dev.ramet.tck.memory.MemoryWorld.HOLE;
import static dev.ramet.tck.memory.MemoryWorld.HOLE_PAGES;
import static dev.ramet.tck.memory.MemoryWorld.PAGES;
import static dev.ramet.tck.memory.TrackedProcess.PAGE;

import org.junit.jupiter.api.Test;

/** Checks that writes to memory are captured, whoever writes and in whatever way. */
public abstract class MemoryWriteChecks {
  /** Called by the kit. */
  protected MemoryWriteChecks() {}

  public abstract MemoryWorld world();

  @Test
  void whatWasWrittenBeforeTrackingBegan() {
    world().fill(0, 1, 7);
    world().poke(1000, 3, 17);
    world().look(500, 50);
    try (Captures captures = world().captures()) {
      captures.capture();
      captures.capture();
    }
  }

  @Test
  void firstAndLastBytesOfPagesAndOfTheMemory() {
    try (Captures captures = world().captures()) {
      captures.capture();
      world().poke(0, 1, 0);
      world().poke(1, 1, PAGE - 1);
      world().poke(511, 2, 4095);
      world().poke(PAGES - 1, 1, PAGE - 1);
      captures.capture();
      world().poke(PAGES - 1, 1, 0);
      captures.capture();
    }
  }

  @Test
  void pagesThatWereWrittenAgainAfterACapture() {
    try (Captures captures = world().captures()) {
      for (int round = 0; round < 5; round++) {
        world().poke(3, 40, round);
        world().fill(1500, 4, round);
        captures.capture();
      }
    }
  }

  @Test
  void scatteredPages() {
    try (Captures captures = world().captures()) {
      for (int round = 0; round < 3; round++) {
        for (int page = round; page < PAGES; page += 2 + round) {
          world().poke(page, 1, page);
        }
        captures.capture();
      }
    }
  }

  @Test
  void pagesThatBecameZero() {
    world().fill(10, 10, 1);
    try (Captures captures = world().captures()) {
      captures.capture();
      world().fill(5, 10, 0);
      captures.capture();
    }
  }

  @Test
  void writesOfTheKernel() {
    try (Captures captures = world().captures()) {
      world().load(20, 30, false);
      captures.capture();
      world().load(10, 20, false);
      captures.capture();
    }
  }

  @Test
  void directMemoryAccess() {
    try (Captures captures = world().captures()) {
      world().load(20, 30, true);
      captures.capture();
      world().load(10, 20, true);
      world().load(1200, 16, true);
      captures.capture();
    }
  }

  @Test
  void writesOfOtherProcesses() {
    try (Captures captures = world().captures()) {
      world().writeFromOutside(40, 8, 1);
      world().writeAsDebugger(60, 2);
      captures.capture();
      world().writeFromOutside(44, 8, 3);
      world().writeAsDebugger(60, 4);
      captures.capture();
    }
  }

  @Test
  void pagesWhereTheImageHasAHole() {
    world().fill(HOLE - 1, 3, 1);
    world().look(HOLE + 4, 4);
    world().poke(HOLE + 6, 4, 9);
    try (Captures captures = world().captures()) {
      captures.capture();
      world().look(HOLE + 12, 2);
      world().poke(HOLE + 20, 1, PAGE - 1);
      world().load(HOLE + 24, 2, false);
      world().poke(HOLE + HOLE_PAGES - 1, 2, 0);
      captures.capture();
      world().fill(HOLE, HOLE_PAGES, 3);
      captures.capture();
      world().fill(HOLE + 8, 8, 0);
      captures.capture();
    }
  }

  @Test
  void pagesSharedWithAChild() {
    world().fill(0, 64, 1);
    try (Captures captures = world().captures()) {
      captures.capture();
      world().writeInChild(0, 100, 2);
      captures.capture();
      world().poke(32, 64, 9);
      world().writeInChild(0, 100, 3);
      captures.capture();
      world().poke(0, 8, 9);
      captures.capture();
    }
  }
}
