// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.memory;

import static dev.ramet.tck.memory.MemoryWorld.PAGEOUT;
import static dev.ramet.tck.memory.MemoryWorld.PAGES;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.ramet.spi.memory.LiveTracker;
import dev.ramet.spi.memory.MemoryFeature;
import dev.ramet.spi.memory.MemoryTracker;
import dev.ramet.spi.memory.PageRanges;
import dev.ramet.tck.support.Requirement;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Checks pages that are copied while the machine runs, and are written again. */
public abstract class MemoryLiveChecks {
  /** Called by the kit. */
  protected MemoryLiveChecks() {}

  public abstract MemoryWorld world();

  /**
   * A mode that does not state the capability is not tested for it; {@link #whoeverStatesItCanDoIt}
   * checks both directions.
   */
  private boolean asked() {
    return world().states(MemoryFeature.LIVE);
  }

  private Captures live() {
    return world().withoutDiscards().captures();
  }

  @Test
  void whoeverStatesItCanDoIt() {
    boolean stated = world().states(MemoryFeature.LIVE);
    String name = "'" + MemoryFeature.LIVE + "'";
    try (MemoryTracker tracker = world().mode.attach(world().memory())) {
      if (!stated) {
        assertFalse(tracker instanceof LiveTracker, "a LiveTracker: state " + name);
      }
    }
    world().withoutDiscards();
    try (MemoryTracker tracker = world().mode.attach(world().memory())) {
      assertEquals(
          stated,
          tracker instanceof LiveTracker,
          () ->
              "whether a tracker of memory that is never discarded is a LiveTracker must be what"
                  + " the probe says of "
                  + name);
    }
  }

  @Test
  void whatIsWrittenAfterARoundIsSelectedAgain() {
    if (!asked()) {
      return;
    }
    world().fill(0, 64, 1);
    try (Captures captures = live()) {
      for (int generation = 0; generation < 4; generation++) {
        captures.startOver();
        captures.round();
        world().poke(30, 8, generation);
        world().fill(300 + generation, 2, generation + 1);
        captures.round();
        world().poke(34, 1, 7);
        world().poke(600, 1, generation);
        captures.capture();
        world().poke(10, 50, 9);
      }
    }
  }

  @Test
  void whatIsWrittenBeforeItWasCopiedIsSelectedAgain() {
    if (!asked()) {
      return;
    }
    world().fill(0, 64, 1);
    try (Captures captures = live()) {
      for (int generation = 0; generation < 3; generation++) {
        captures.startOver();
        PageRanges ranges = captures.select();
        world().poke(20, 10, generation);
        captures.copy(ranges);
        world().poke(25, 1, 100);
        captures.capture();
        world().poke(0, 40, 3);
      }
    }
  }

  @Test
  void roundsThatWereNotCopiedCountForNothing() {
    if (!asked()) {
      return;
    }
    world().fill(0, 64, 1);
    try (Captures captures = live()) {
      captures.startOver();
      captures.select();
      captures.select();
      world().poke(3, 1, 5);
      captures.capture();
      world().poke(8, 4, 5);
      captures.startOver();
      captures.round();
      world().poke(9, 1, 6);
      captures.select();
      captures.capture();
    }
  }

  @Test
  void theNextCaptureStartsOver() {
    if (!asked()) {
      return;
    }
    world().fill(0, 64, 1);
    try (Captures captures = live()) {
      captures.startOver();
      captures.round();
      world().poke(70, 2, 1);
      captures.startOver();
      captures.round();
      captures.capture();
      world().poke(5, 5, 2);
      captures.startOver();
      captures.round();
      world().poke(7, 5, 3);
      captures.selectOnly();
      captures.startOver();
      captures.capture();
    }
  }

  @Test
  void thePauseIsLeftWithWhatWasWrittenSince() {
    if (!asked()) {
      return;
    }
    world().fill(0, 400, 1);
    try (Captures captures = live()) {
      for (int generation = 0; generation < 3; generation++) {
        captures.startOver();
        captures.round();
        world().look(1000 + 100 * generation, 50);
        world().poke(5, 2, generation);
        captures.atMost(captures.round(), 2, "two pages were written since the round before");
        world().poke(6, 2, generation);
        captures.atMost(captures.selectOnly(), 2, "two pages were written since the last round");
        captures.atMost(captures.capture(), 2, "two pages were written since the last round");
        captures.startOver();
        captures.atMost(captures.selectOnly(), 0, "nothing was written since the capture");
        world().fill(0, 400, generation + 2);
      }
    }
  }

  /** The process keeps writing while pages are found and copied. */
  @Test
  void roundsBesideAWriter() throws InterruptedException {
    if (!asked()) {
      return;
    }
    AtomicBoolean stop = new AtomicBoolean();
    try (Captures captures = live()) {
      for (int generation = 0; generation < 6; generation++) {
        Random random = new Random(generation);
        int first = generation * 1000;
        stop.set(false);
        Thread writer =
            new Thread(
                () -> {
                  for (int i = 0; !stop.get(); i++) {
                    int page = random.nextInt(PAGES - 20);
                    world().fill(page, 1 + random.nextInt(20), (first + i) % 255 + 1);
                  }
                });
        writer.start();
        captures.startOver();
        try {
          for (int round = 0; round < 25; round++) {
            captures.round();
          }
        } finally {
          stop.set(true);
          writer.join();
        }
        captures.capture();
      }
    }
  }

  @Test
  void swappedPagesBetweenRounds() {
    if (!asked()) {
      return;
    }
    world().fill(0, 64, 1);
    try (SwapArea swap = SwapArea.on(world().directory);
        Captures captures = live()) {
      for (int generation = 0; generation < 3; generation++) {
        // Pages that no round has seen yet.
        int first = 200 + 100 * generation;
        captures.startOver();
        captures.round();
        world().poke(3, 5, generation);
        world().poke(first, 3, generation);
        swap.takes(world(), 0, 64);
        swap.takes(world(), first, 3);
        captures.round();
        world().look(4, 2);
        world().poke(40, 3, generation);
        world().poke(first + 8, 3, generation);
        swap.takes(world(), 0, 64);
        swap.takes(world(), first + 8, 3);
        captures.capture();
        world().poke(0, 10, generation);
      }
    }
  }

  /**
   * More runs of pages than the kernel reports in one call, and than its small internal buffer
   * holds.
   */
  @Test
  void scatteredPages() {
    if (!asked()) {
      return;
    }
    try (Captures captures = live()) {
      for (int generation = 0; generation < 3; generation++) {
        for (int page = generation; page < PAGES; page += 2) {
          world().poke(page, 1, page);
        }
        captures.startOver();
        captures.round();
        for (int page = 0; page < PAGES; page += 3) {
          world().poke(page, 1, page + 1);
        }
        captures.capture();
      }
    }
  }

  @Test
  void histories() {
    if (!asked()) {
      return;
    }
    history((page, count) -> world().advise(page, count, PAGEOUT));
  }

  @Test
  void historiesOfPagesInSwap() {
    if (!asked()) {
      return;
    }
    AtomicInteger swapped = new AtomicInteger();
    try (SwapArea swap = SwapArea.on(world().directory)) {
      history((page, count) -> swapped.addAndGet(swap.offered(world(), page, count)));
    }
    Requirement.ofKernel("swap", swapped.get() > 0, "nothing was swapped out");
  }

  private void history(LiveHistory.PageOut pageOut) {
    try (Captures captures = live()) {
      new LiveHistory(world(), captures, pageOut).run();
    }
  }
}
