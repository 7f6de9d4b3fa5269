// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.tracking;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.ramet.engine.snapshots.ModeRefusal;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.memory.Baseline;
import dev.ramet.spi.memory.MemoryFacts;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests whether a tracker is kept or discarded after each way a capture can end. */
final class TrackingLifeTest extends TrackingLifeGround {
  private @Nullable String previous() {
    try (TrackerSlot.Use use = tracking.takeForCapture(tracks(mode), vm)) {
      return use.previous();
    }
  }

  @Test
  void oneThatCanGoOnIsKeptWithItsSnapshot() {
    capture("s1");
    assertEquals("s1", previous());
    capture("s2");
    assertEquals("s2", previous());
    assertEquals(1, mode.attached.size());
    tracking.close();
    tracking.close();
    assertEquals(0, mode.open);
  }

  @Test
  void oneThatRemembersNothingIsClosed() {
    Mode scan = new Mode(Baseline.RESTORE_IMAGE);
    try (TrackerSlot.Use use =
        tracking.takeForCapture(new OpenMode("scan", MemoryFacts.of(), scan), vm)) {
      use.select(MEMORY);
      use.committed();
      use.published("s1");
    }
    assertEquals(0, scan.open);
  }

  @Test
  void whatWasCommittedForNothingEndsIt() {
    capture("s1");
    try (TrackerSlot.Use use = tracking.takeForCapture(tracks(mode), vm)) {
      use.select(MEMORY);
      use.committed();
    }
    assertEquals(0, mode.open);
    assertNull(previous());
  }

  @Test
  void aFailureBeforeThatDoesNot() {
    capture("s1");
    try (TrackerSlot.Use use = tracking.takeForCapture(tracks(mode), vm)) {
      use.select(MEMORY);
    }
    mode.failure = new RametException(ErrorCode.HYPERVISOR_FAILED, "not now");
    try (TrackerSlot.Use use = tracking.takeForCapture(tracks(mode), vm)) {
      assertThrows(RametException.class, () -> use.select(MEMORY));
    }
    assertEquals("s1", previous());
    assertEquals(1, mode.open);
  }

  @Test
  void aLossEndsIt() {
    capture("s1");
    mode.failure = new RametException(ErrorCode.UNSUPPORTED, "tracking lost");
    try (TrackerSlot.Use use = tracking.takeForCapture(tracks(mode), vm)) {
      assertThrows(RametException.class, () -> use.select(MEMORY));
    }
    assertEquals(0, mode.open);
    mode.failure = null;
    capture("s2");
    try (TrackerSlot.Use use = tracking.takeForCapture(tracks(mode), vm)) {
      use.markUnusable(ModeRefusal.Cause.BASE_GONE, "s2 is gone");
    }
    assertEquals(0, mode.open);
    assertEquals(new TrackingGap(ModeRefusal.Cause.BASE_GONE, "s2 is gone"), gap(mode));
  }

  @Test
  void anotherModeOrMachineInBetweenEndsIt() {
    capture("s1");
    Mode other = new Mode(Baseline.RESTORE_IMAGE);
    tracking.takeForCapture(new OpenMode("other", MemoryFacts.of(), other), vm).close();
    assertEquals(0, mode.open);
    assertEquals(0, other.open);
    capture("s2");
    try (TrackerSlot.Use use = tracking.takeForCapture(tracks(mode), machine())) {
      assertNull(use.previous());
    }
    assertEquals(0, mode.open);
  }

  @Test
  void oneThatCannotBeginIsClosed() {
    mode.baselineFailure = new RametException(ErrorCode.INTERNAL, "a defect");
    assertThrows(RametException.class, () -> tracking.takeForCapture(tracks(mode), vm));
    assertEquals(0, mode.open);
    mode.baselineFailure = null;
    capture("s1");
    mode.baselineFailure = new RametException(ErrorCode.INTERNAL, "a defect");
    assertThrows(RametException.class, () -> tracking.takeForCapture(tracks(mode), vm));
    assertEquals(0, mode.open, "one that was kept as well");
    mode.baselineFailure = null;
    assertNull(previous());
  }

  @Test
  void oneThatFailsAfterTheSnapshotWasMadeFailsNobody() {
    try (TrackerSlot.Use use = tracking.takeForCapture(tracks(mode), vm)) {
      use.select(MEMORY);
      use.committed();
      use.published("s1");
      mode.baselineFailure = new RametException(ErrorCode.INTERNAL, "a defect");
      assertEquals("restored", use.nextBase("restored"));
    }
    assertEquals(0, mode.open);
  }
}
