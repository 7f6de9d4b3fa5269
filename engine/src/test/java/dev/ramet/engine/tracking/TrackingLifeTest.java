// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.tracking;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.snapshots.ModeRefusal;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.memory.Baseline;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.MemoryFacts;
import dev.ramet.spi.memory.MemoryFeature;
import dev.ramet.spi.memory.MemoryMode;
import dev.ramet.spi.memory.MemoryTracker;
import dev.ramet.spi.memory.PageRanges;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests whether a tracker is kept or discarded after each way a capture can end. */
final class TrackingLifeTest {
  private static final String TRACKS = "write-tracking";
  private static final GuestMemory MEMORY = new GuestMemory(1, 0, List.of());

  private final Tracking tracking = new Tracking();
  private final Mode mode = new Mode(Baseline.PREVIOUS_CAPTURE);
  private final RunningVm vm = machine();

  /** A memory mode that counts its open trackers. */
  private static final class Mode implements MemoryMode {
    Baseline baselineAfter;
    final List<Tracker> attached = new ArrayList<>();
    int open;
    @Nullable RametException failure;
    @Nullable RametException baselineFailure;

    Mode(Baseline baselineAfter) {
      this.baselineAfter = baselineAfter;
    }

    @Override
    public MemoryTracker attach(GuestMemory memory) {
      Tracker tracker = new Tracker();
      attached.add(tracker);
      open++;
      return tracker;
    }

    @Override
    public void close() {}

    final class Tracker implements MemoryTracker {
      private Baseline baseline = Baseline.RESTORE_IMAGE;

      @Override
      public Baseline baseline() {
        if (baselineFailure != null) {
          throw baselineFailure;
        }
        return baseline;
      }

      @Override
      public PageRanges select(GuestMemory memory) {
        if (failure != null) {
          throw failure;
        }
        return new PageRanges.Builder().build();
      }

      @Override
      public void committed() {
        baseline = baselineAfter;
      }

      @Override
      public void close() {
        open--;
      }
    }
  }

  private static OpenMode tracks(MemoryMode mode) {
    return new OpenMode(TRACKS, MemoryFacts.of(MemoryFeature.SINCE_CAPTURE), mode);
  }

  private static RunningVm machine() {
    return (RunningVm)
        Proxy.newProxyInstance(
            RunningVm.class.getClassLoader(),
            new Class<?>[] {RunningVm.class},
            (proxy, method, arguments) -> method.getName().equals("memory") ? MEMORY : null);
  }

  private void capture(String snapshot) {
    try (Tracking.Use use = tracking.use(tracks(mode), vm)) {
      use.select(MEMORY);
      use.committed();
      use.published(snapshot);
    }
  }

  private @Nullable String previous() {
    try (Tracking.Use use = tracking.use(tracks(mode), vm)) {
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
    try (Tracking.Use use = tracking.use(new OpenMode("scan", MemoryFacts.of(), scan), vm)) {
      use.select(MEMORY);
      use.committed();
      use.published("s1");
    }
    assertEquals(0, scan.open);
  }

  @Test
  void whatWasCommittedForNothingEndsIt() {
    capture("s1");
    try (Tracking.Use use = tracking.use(tracks(mode), vm)) {
      use.select(MEMORY);
      use.committed();
    }
    assertEquals(0, mode.open);
    assertNull(previous());
  }

  @Test
  void aFailureBeforeThatDoesNot() {
    capture("s1");
    try (Tracking.Use use = tracking.use(tracks(mode), vm)) {
      use.select(MEMORY);
    }
    mode.failure = new RametException(ErrorCode.HYPERVISOR_FAILED, "not now");
    try (Tracking.Use use = tracking.use(tracks(mode), vm)) {
      assertThrows(RametException.class, () -> use.select(MEMORY));
    }
    assertEquals("s1", previous());
    assertEquals(1, mode.open);
  }

  @Test
  void aLossEndsIt() {
    capture("s1");
    mode.failure = new RametException(ErrorCode.UNSUPPORTED, "tracking lost");
    try (Tracking.Use use = tracking.use(tracks(mode), vm)) {
      assertThrows(RametException.class, () -> use.select(MEMORY));
    }
    assertEquals(0, mode.open);
    mode.failure = null;
    capture("s2");
    try (Tracking.Use use = tracking.use(tracks(mode), vm)) {
      use.lost(ModeRefusal.Cause.BASE_GONE, "s2 is gone");
    }
    assertEquals(0, mode.open);
    assertEquals(new TrackingGap(ModeRefusal.Cause.BASE_GONE, "s2 is gone"), gap(mode));
  }

  /** Returns the gap of a new tracker of the machine; null when it has none or is not new. */
  private @Nullable TrackingGap gap(Mode of) {
    try (Tracking.Use use = tracking.use(tracks(of), vm)) {
      return use.gap();
    }
  }

  private void assertGap(ModeRefusal.Cause cause, String named) {
    TrackingGap gap = Objects.requireNonNull(gap(mode));
    assertEquals(cause, gap.cause());
    assertTrue(gap.detail().contains(named), gap.detail());
    assertEquals(gap, gap(mode), "a capture that fails at once changes nothing");
  }

  @Test
  void aMachineThatWasNeverCapturedLacksNothing() {
    assertNull(gap(mode));
    try (Tracking.Use use = tracking.use(tracks(mode), vm)) {
      use.select(MEMORY);
      use.committed();
    }
    assertNull(gap(mode), "its first capture failed");
    mode.failure = new RametException(ErrorCode.UNSUPPORTED, "tracking lost");
    try (Tracking.Use use = tracking.use(tracks(mode), vm)) {
      assertThrows(RametException.class, () -> use.select(MEMORY));
    }
    assertNull(gap(mode), "or was refused");
  }

  @Test
  void aFailureAfterTheCommitIsRememberedUntilACaptureSucceeds() {
    capture("s1");
    assertNull(gap(mode));
    try (Tracking.Use use = tracking.use(tracks(mode), vm)) {
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
    try (Tracking.Use last = Objects.requireNonNull(tracking.last(vm))) {
      assertThrows(RametException.class, () -> last.select(MEMORY));
    }
    assertGap(ModeRefusal.Cause.TRACKING_LOST, "remapped");
  }

  @Test
  void aCaptureInAnotherModeIsRememberedWhetherItSucceedsOrNot() {
    Mode scan = new Mode(Baseline.RESTORE_IMAGE);
    capture("s1");
    tracking.use(new OpenMode("incremental", MemoryFacts.of(), scan), vm).close();
    assertGap(ModeRefusal.Cause.OTHER_MODE, "s1");
    try (Tracking.Use use = tracking.use(new OpenMode("incremental", MemoryFacts.of(), scan), vm)) {
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
    assertThrows(RametException.class, () -> tracking.use(tracks(mode), vm));
    mode.baselineFailure = null;
    assertGap(ModeRefusal.Cause.TRACKING_LOST, "a defect");
  }

  @Test
  void whatAnotherProcessKnewIsMissingOfThatMachineAlone() {
    TrackingGap gap = new TrackingGap(ModeRefusal.Cause.HOST_RESTARTED, "started anew after s1");
    tracking.foundAgain(vm, gap);
    assertEquals(gap, gap(mode));
    try (Tracking.Use use = tracking.use(tracks(mode), machine())) {
      assertNull(use.gap());
    }
    capture("s2");
    assertNull(gap(mode));
  }

  @Test
  void anotherModeOrMachineInBetweenEndsIt() {
    capture("s1");
    Mode other = new Mode(Baseline.RESTORE_IMAGE);
    tracking.use(new OpenMode("other", MemoryFacts.of(), other), vm).close();
    assertEquals(0, mode.open);
    assertEquals(0, other.open);
    capture("s2");
    try (Tracking.Use use = tracking.use(tracks(mode), machine())) {
      assertNull(use.previous());
    }
    assertEquals(0, mode.open);
  }

  @Test
  void oneThatCannotBeginIsClosed() {
    mode.baselineFailure = new RametException(ErrorCode.INTERNAL, "a defect");
    assertThrows(RametException.class, () -> tracking.use(tracks(mode), vm));
    assertEquals(0, mode.open);
    mode.baselineFailure = null;
    capture("s1");
    mode.baselineFailure = new RametException(ErrorCode.INTERNAL, "a defect");
    assertThrows(RametException.class, () -> tracking.use(tracks(mode), vm));
    assertEquals(0, mode.open, "one that was kept as well");
    mode.baselineFailure = null;
    assertNull(previous());
  }

  @Test
  void oneThatFailsAfterTheSnapshotWasMadeFailsNobody() {
    try (Tracking.Use use = tracking.use(tracks(mode), vm)) {
      use.select(MEMORY);
      use.committed();
      use.published("s1");
      mode.baselineFailure = new RametException(ErrorCode.INTERNAL, "a defect");
      assertEquals("restored", use.nextBase("restored"));
    }
    assertEquals(0, mode.open);
  }
}
