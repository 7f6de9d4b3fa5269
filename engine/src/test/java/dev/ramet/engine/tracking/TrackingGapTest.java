// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.tracking;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.snapshots.ModeRefusal;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.memory.Baseline;
import dev.ramet.spi.memory.MemoryFacts;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Checks that the reason why a capture cannot build on the last one is remembered. */
final class TrackingGapTest extends TrackingLifeGround {
  private void assertGap(ModeRefusal.Cause cause, String named) {
    TrackingGap gap = Objects.requireNonNull(gap(mode));
    assertEquals(cause, gap.cause());
    assertTrue(gap.detail().contains(named), gap.detail());
    assertEquals(gap, gap(mode), "a capture that fails at once changes nothing");
  }

  @Test
  void aMachineThatWasNeverCapturedLacksNothing() {
    assertNull(gap(mode));
    try (TrackerSlot.Use use = tracking.takeForCapture(tracks(mode), vm)) {
      use.select(MEMORY);
      use.committed();
    }
    assertNull(gap(mode), "its first capture failed");
    mode.failure = new RametException(ErrorCode.UNSUPPORTED, "tracking lost");
    try (TrackerSlot.Use use = tracking.takeForCapture(tracks(mode), vm)) {
      assertThrows(RametException.class, () -> use.select(MEMORY));
    }
    assertNull(gap(mode), "or was refused");
  }

  @Test
  void aFailureAfterTheCommitIsRememberedUntilACaptureSucceeds() {
    capture("s1");
    assertNull(gap(mode));
    try (TrackerSlot.Use use = tracking.takeForCapture(tracks(mode), vm)) {
      use.select(MEMORY);
      use.committed();
    }
    assertGap(ModeRefusal.Cause.CAPTURE_FAILED, "s1");
    capture("s2");
    assertNull(gap(mode));
    tracking.close();
    assertNull(gap(mode), "the machine was given up");
  }

  @Test
  void whatALookFindsLostIsRemembered() {
    capture("s1");
    mode.failure = new RametException(ErrorCode.UNSUPPORTED, "tracking lost: remapped");
    try (TrackerSlot.Use last = Objects.requireNonNull(tracking.peek(vm))) {
      assertThrows(RametException.class, () -> last.select(MEMORY));
    }
    assertGap(ModeRefusal.Cause.TRACKING_LOST, "remapped");
  }

  @Test
  void aCaptureInAnotherModeIsRememberedWhetherItSucceedsOrNot() {
    Mode scan = new Mode(Baseline.RESTORE_IMAGE);
    capture("s1");
    tracking.takeForCapture(new OpenMode("incremental", MemoryFacts.of(), scan), vm).close();
    assertGap(ModeRefusal.Cause.OTHER_MODE, "s1");
    try (TrackerSlot.Use use =
        tracking.takeForCapture(new OpenMode("incremental", MemoryFacts.of(), scan), vm)) {
      use.committed();
      use.published("s2");
    }
    assertGap(ModeRefusal.Cause.OTHER_MODE, "s2, was taken in mode incremental");
  }

  @Test
  void aTrackerThatCannotGoOnOrBeginIsRemembered() {
    mode.baselineAfter = Baseline.RESTORE_IMAGE;
    capture("s1");
    assertGap(ModeRefusal.Cause.TRACKING_LOST, "s1");
    mode.baselineAfter = Baseline.PREVIOUS_CAPTURE;
    capture("s2");
    mode.baselineFailure = new RametException(ErrorCode.INTERNAL, "a defect");
    assertThrows(RametException.class, () -> tracking.takeForCapture(tracks(mode), vm));
    mode.baselineFailure = null;
    assertGap(ModeRefusal.Cause.TRACKING_LOST, "a defect");
  }

  @Test
  void whatAnotherProcessKnewIsMissingOfThatMachineAlone() {
    TrackingGap gap = new TrackingGap(ModeRefusal.Cause.HOST_RESTARTED, "started anew after s1");
    tracking.recordMissingTracker(vm, gap);
    assertEquals(gap, gap(mode));
    try (TrackerSlot.Use use = tracking.takeForCapture(tracks(mode), machine())) {
      assertNull(use.trackingGap());
    }
    capture("s2");
    assertNull(gap(mode));
  }
}
