// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static dev.ramet.it.Modes.FULL;
import static dev.ramet.it.Modes.INCREMENTAL;
import static dev.ramet.it.Modes.SOFT_DIRTY;
import static dev.ramet.it.Modes.TRACKING;
import static dev.ramet.it.Modes.forced;
import static dev.ramet.it.Modes.report;
import static dev.ramet.it.Modes.snapshot;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.WantedShape;
import dev.ramet.engine.sandboxes.NewSandbox;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.snapshots.ModeRefusal.Cause;
import dev.ramet.engine.snapshots.Snapshot;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.util.SortedSet;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/**
 * Checks that a capture uses the next memory mode, without an error, when a mode cannot do it, and
 * that the reason is in the manifest, the log and the metrics. The host's kernel decides which
 * modes are available: the tests state the result for each case.
 */
final class DegradationTest extends DegradationGround {
  @Test
  void aBootedMachineIsCapturedInFull() throws Exception {
    double before = counted(INCREMENTAL, FULL, Cause.BOOTED);
    Sandbox booted =
        ground
            .engine()
            .sandboxes()
            .create(
                NewSandbox.of(Ground.TEMPLATE)
                    .shape(new WantedShape(null, 192L << 20, null))
                    .build());
    Snapshot made = snapshot(ground, booted.id());
    assertEquals(FULL, report(made).mode());
    assertPassedOver(made, INCREMENTAL, Cause.BOOTED, before);
  }

  @Test
  void whatTheKernelLacksIsPassedOver() throws Exception {
    String best = tracks ? TRACKING : softDirty ? SOFT_DIRTY : INCREMENTAL;
    String missing = tracks ? SOFT_DIRTY : TRACKING;
    Sandbox sandbox = ground.create();
    Snapshot first = snapshot(ground, sandbox.id());
    assertEquals(best, report(first).mode());
    ground.engine().snapshots().delete(first.id(), false);
    double before = counted(missing, INCREMENTAL, Cause.UNUSABLE_HERE);
    Snapshot second = snapshot(ground, sandbox.id());
    assertEquals(INCREMENTAL, report(second).mode());
    if (!usable(missing)) {
      assertPassedOver(second, missing, Cause.UNUSABLE_HERE, before);
      assertEquals(
          ErrorCode.UNSUPPORTED,
          assertThrows(RametException.class, () -> forced(ground, sandbox.id(), missing)).code());
    }
  }

  @Test
  void aDeletedPreviousCaptureMeansTheRestoreImage() throws Exception {
    String best = tracks ? TRACKING : softDirty ? SOFT_DIRTY : null;
    if (best == null) {
      return; // no previous capture to build on then: see the test above
    }
    double before = counted(best, INCREMENTAL, Cause.BASE_GONE);
    Sandbox sandbox = ground.create();
    Snapshot first = snapshot(ground, sandbox.id());
    ground.engine().snapshots().delete(first.id(), false);
    Snapshot second = snapshot(ground, sandbox.id());
    assertEquals(INCREMENTAL, report(second).mode());
    assertPassedOver(second, best, Cause.BASE_GONE, before);
  }

  @Test
  void trackingLostInsideThePauseMeansTheRestoreImage() throws Exception {
    String best = tracks ? TRACKING : softDirty ? SOFT_DIRTY : null;
    if (best == null) {
      return;
    }
    double before = counted(best, INCREMENTAL, Cause.TRACKING_LOST);
    Sandbox sandbox = ground.create();
    snapshot(ground, sandbox.id());
    AtomicBoolean told = new AtomicBoolean();
    ground
        .steps()
        .doAt(
            "snapshot.select",
            () -> {
              if (!told.getAndSet(true)) {
                throw new RametException(ErrorCode.UNSUPPORTED, "tracking lost: told so");
              }
            });
    Snapshot second = snapshot(ground, sandbox.id());
    assertEquals(INCREMENTAL, report(second).mode());
    assertPassedOver(second, best, Cause.TRACKING_LOST, before);
  }

  /**
   * A mode that is usable on the host refuses one machine; if it was forced, the error's remedy
   * says what would help.
   */
  @Test
  void aMachineThatTheBestModeRefusesIsCapturedInTheNext() throws Exception {
    if (!tracks) {
      return;
    }
    Sandbox sandbox = ground.create();
    double before = counted(TRACKING, INCREMENTAL, Cause.REFUSED);
    Snapshot made;
    try (OtherTracker other = OtherTracker.of(ground.machines().get(0), ground.dataRoot())) {
      made = snapshot(ground, sandbox.id());
      assertEquals(INCREMENTAL, report(made).mode());
      assertPassedOver(made, TRACKING, Cause.REFUSED, before);
      SortedSet<String> files = ground.files();
      RametException refused =
          assertThrows(RametException.class, () -> forced(ground, sandbox.id(), TRACKING));
      assertEquals(ErrorCode.UNSUPPORTED, refused.code());
      String remedy = String.valueOf(refused.remedy());
      assertTrue(remedy.contains("does not use userfaultfd itself; or do not force"), remedy);
      assertEquals(files, ground.files());
      assertEquals("on", ground.shell(sandbox.id()).run("echo on"));
    }
    before = counted(TRACKING, TRACKING, Cause.OTHER_MODE);
    Snapshot next = snapshot(ground, sandbox.id());
    assertEquals(TRACKING, report(next).mode());
    assertPassedOver(next, TRACKING, Cause.OTHER_MODE, before);
  }
}
