// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.MemoryFeature;
import dev.ramet.spi.memory.MemoryRegion;
import dev.ramet.spi.memory.MemoryTracker;
import org.junit.jupiter.api.Test;

/**
 * Checks captures of memory that is filled when it is touched. The process maps its image
 * privately, and the mode is told that a fault handler fills that memory. So a page that nobody has
 * touched is absent from the page table and shows its content when it is read, as it would with
 * userfaultfd(2).
 */
public abstract class MemoryFaultedChecks {
  /** Called by the kit. */
  protected MemoryFaultedChecks() {}

  /** Returns the world of the running check. */
  public abstract MemoryWorld world();

  @Test
  void pagesThatNobodyTouched() {
    capturedOrRefused(() -> {});
  }

  @Test
  void pagesThatWereTouchedOrWritten() {
    capturedOrRefused(
        () -> {
          world().look(3, 5);
          world().fill(20, 4, 9);
          world().poke(150, 100, 3);
        });
  }

  private void capturedOrRefused(Runnable guest) {
    GuestMemory faulted = world().memoryAs(MemoryRegion.Kind.FAULTED);
    MemoryTracker tracker;
    try {
      tracker = world().mode.attach(faulted);
    } catch (RametException e) {
      refused(e);
      return;
    }
    try (Captures captures = new Captures(world(), tracker, () -> faulted)) {
      captures.capture();
      guest.run();
      captures.capture();
    } catch (RametException e) {
      refused(e);
    }
  }

  private void refused(RametException e) {
    assertEquals(
        ErrorCode.UNSUPPORTED, e.code(), () -> "refuse memory that is not supported: " + e);
    assertEquals(
        false,
        world().states(MemoryFeature.ANY_MEMORY),
        () -> "'" + MemoryFeature.ANY_MEMORY + "' is stated, and memory was refused: " + e);
  }
}
