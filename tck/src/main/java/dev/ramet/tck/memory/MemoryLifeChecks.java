// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.MemoryTracker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Checks captures that fail, trackers that are closed and processes that die. */
public abstract class MemoryLifeChecks {
  /** Called by the kit. */
  protected MemoryLifeChecks() {}

  public abstract MemoryWorld world();

  @Test
  void whatAFailedCaptureSelectedIsSelectedAgain() {
    world().fill(0, 20, 1);
    world().replaceByAnonymous(200, 20);
    world().fill(200, 20, 1);
    try (Captures captures = world().captures()) {
      captures.selectOnly();
      captures.capture();
      world().poke(5, 5, 2);
      world().discard(12, 2);
      world().discard(205, 5);
      captures.selectOnly();
      world().poke(8, 5, 3);
      world().discard(2, 1);
      captures.selectOnly();
      captures.capture();
      captures.capture();
    }
  }

  @Test
  void aTrackerAfterAnother() {
    world().fill(0, 20, 1);
    try (Captures first = world().captures()) {
      first.capture();
      world().poke(10, 20, 2);
      first.capture();
    }
    world().poke(25, 20, 3);
    try (Captures second = world().captures()) {
      second.capture();
      world().poke(40, 20, 4);
      second.capture();
    }
  }

  @Test
  void closingLeavesTheProcessAsItWasFound() {
    world().fill(0, 20, 1);
    Set<String> before = world().process.marks();
    Captures captures = world().captures();
    captures.capture();
    world().poke(10, 20, 2);
    captures.capture();
    captures.close();
    captures.close();
    assertEquals(before, world().process.marks(), "close() must undo what attach() did");
    world().poke(10, 20, 3);
  }

  @Test
  void twoTrackersOfOneProcess() {
    world().fill(0, 20, 1);
    try (Captures first = world().captures()) {
      first.capture();
      try (Captures second = world().captures()) {
        world().poke(10, 20, 2);
        second.capture();
      } catch (RametException e) {
        assertTrue(
            e.code() == ErrorCode.CONFLICT || e.code() == ErrorCode.UNSUPPORTED,
            () -> "a second tracker that is not possible is CONFLICT or UNSUPPORTED, not " + e);
      }
      world().poke(15, 20, 3);
      first.capture();
    }
  }

  @Test
  void twoProcessesOfOneMode() throws IOException {
    Path directory = Files.createDirectory(world().directory.resolve("second"));
    try (MemoryWorld other = world().another(directory);
        Captures here = world().captures();
        Captures there = other.captures()) {
      for (int round = 0; round < 3; round++) {
        world().poke(round, 10, 1);
        other.poke(20 + round, 10, 1);
        here.capture();
        there.capture();
      }
      GuestMemory wrong = other.memory();
      assertThrows(
          RametException.class,
          () -> here.tracker().select(wrong),
          "a tracker that is given another process's memory must refuse it");
      world().poke(4, 4, 2);
      here.capture();
    }
  }

  @Test
  void aProcessThatEnded() {
    GuestMemory memory = world().memory();
    MemoryTracker tracker = world().mode.attach(memory);
    try (tracker) {
      tracker.select(memory);
      tracker.committed();
      world().process.close();
      RametException e =
          assertThrows(
              RametException.class,
              () -> world().mode.attach(memory).close(),
              "the process has ended: attach() must say so");
      assertEquals(ErrorCode.HYPERVISOR_FAILED, e.code());
      try {
        // A mode that makes no system call notices nothing; the reader of the pages will.
        assertEquals(
            MemoryWorld.BYTES,
            tracker.select(memory).copyBytes(),
            "the process has ended: select() must say so, unless it always selects everything");
      } catch (RametException refused) {
        assertEquals(ErrorCode.HYPERVISOR_FAILED, refused.code());
      }
    }
    tracker.close();
  }
}
