// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.memory;

import static dev.ramet.tck.memory.MemoryWorld.PAGES;
import static dev.ramet.tck.memory.TrackedProcess.PAGE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.memory.Baseline;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.MemoryFeature;
import dev.ramet.spi.memory.MemoryRegion;
import dev.ramet.spi.memory.MemoryTracker;
import dev.ramet.spi.memory.PageRanges;
import dev.ramet.tck.support.Traces;
import org.junit.jupiter.api.Test;

/** Checks that every stated capability holds and that one that is not stated is absent. */
public abstract class MemoryCapabilityChecks {
  /** Called by the kit. */
  protected MemoryCapabilityChecks() {}

  public abstract MemoryWorld world();

  @Test
  void aProbeStatesNoMoreThanTheBest() {
    for (MemoryFeature feature : MemoryFeature.values()) {
      assertTrue(
          !world().states(feature) || world().provider().atBest().features().contains(feature),
          () -> "the probe states '" + feature + "', and atBest() does not");
    }
  }

  @Test
  void selectionsAreRelativeToTheRestoreImage() {
    boolean stated = world().states(MemoryFeature.SINCE_RESTORE);
    String name = "'" + MemoryFeature.SINCE_RESTORE + "'";
    world().look(0, 100);
    world().fill(50, 3, 1);
    try (Captures captures = world().captures()) {
      assertEquals(
          stated ? Baseline.RESTORE_IMAGE : Baseline.NONE,
          captures.tracker().baseline(),
          () -> "baseline() of a new tracker; the probe states " + name + ": " + stated);
      PageRanges ranges = captures.capture();
      if (stated) {
        assertEquals(
            3,
            ranges.copyBytes() / PAGE,
            () ->
                "three pages were written since the restore; select these, or do not state "
                    + name);
      }
    }
  }

  @Test
  void selectionsAreRelativeToThePreviousCapture() {
    boolean stated = world().states(MemoryFeature.SINCE_CAPTURE);
    String name = "'" + MemoryFeature.SINCE_CAPTURE + "'";
    world().fill(0, 100, 1);
    try (Captures captures = world().captures()) {
      captures.capture();
      assertEquals(
          stated,
          captures.tracker().baseline() == Baseline.PREVIOUS_CAPTURE,
          () ->
              "whether baseline() after a commit is PREVIOUS_CAPTURE must be what the probe says"
                  + " of "
                  + name);
      captures.atMost(captures.selectOnly(), 0, "nothing was written since the capture");
      captures.capture();
      world().poke(10, 1, 0);
      world().look(60, 10);
      captures.atMost(captures.capture(), 1, "one page was written since the capture");
      captures.atMost(captures.capture(), 0, "nothing was written since the last capture");
    }
  }

  @Test
  void memoryThatIsNoImage() {
    boolean stated = world().states(MemoryFeature.ANY_MEMORY);
    world().replaceByAnonymous(0, PAGES);
    world().fill(100, 100, 1);
    if (stated) {
      try (Captures captures = world().captures()) {
        captures.capture();
        world().poke(150, 100, 3);
        captures.capture();
      }
    } else {
      refused(world().memory(), "anonymous memory alone, as of a machine that was booted");
    }
  }

  @Test
  void sharedMemory() {
    GuestMemory shared = world().memoryAs(MemoryRegion.Kind.SHARED);
    if (!world().states(MemoryFeature.ANY_MEMORY)) {
      refused(shared, "shared memory");
      return;
    }
    try (MemoryTracker tracker = world().mode.attach(shared)) {
      PageRanges ranges = tracker.select(shared);
      assertEquals(
          MemoryWorld.BYTES,
          ranges.copyBytes(),
          "the page table of shared memory says nothing: select all of it");
    }
  }

  private void refused(GuestMemory memory, String what) {
    RametException e =
        assertThrows(
            RametException.class,
            () -> world().mode.attach(memory).close(),
            () -> what + " must be refused where '" + MemoryFeature.ANY_MEMORY + "' is not stated");
    assertEquals(ErrorCode.UNSUPPORTED, e.code());
  }

  @Test
  void probing() throws Exception {
    assertTrue(world().provider().id().matches("[a-z][a-z0-9-]{0,31}"), "a provider's id");
    String before = Traces.of(world().directory);
    world().provider().probe(world().context());
    assertEquals(before, Traces.of(world().directory), "probing must leave no trace");
    // Any result is allowed, but the probe must return one.
    world().provider().probe(new ProbeContext(world().directory.resolve("absent")));
    assertEquals(before, Traces.of(world().directory), "probing must leave no trace");
  }
}
