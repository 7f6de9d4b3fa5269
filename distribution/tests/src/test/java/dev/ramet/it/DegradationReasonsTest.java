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

import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.snapshots.CaptureReport;
import dev.ramet.engine.snapshots.ModeRefusal.Cause;
import dev.ramet.engine.snapshots.Snapshot;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Checks that the next capture says why it does not build on the last one. */
final class DegradationReasonsTest extends DegradationGround {
  /** A snapshot's image was lost on disk while a machine still maps it. */
  @Test
  void aBrokenChainMeansFull() throws Exception {
    double before = counted(INCREMENTAL, FULL, Cause.BASE_GONE);
    Sandbox parent = ground.create();
    ground.shell(parent.id()).run("echo kept > /tmp/file");
    Snapshot base = snapshot(ground, parent.id());
    Sandbox sandbox = ground.create(base.id());
    Path volumes = ground.root().resolve("volumes");
    ground.closeEngine();
    remove(volumes, base.id() + ".memory");
    ground.openEngine();
    Snapshot made = snapshot(ground, sandbox.id());
    assertEquals(FULL, report(made).mode());
    assertPassedOver(made, INCREMENTAL, Cause.BASE_GONE, before);
    assertEquals(
        ErrorCode.UNSUPPORTED,
        assertThrows(RametException.class, () -> forced(ground, sandbox.id(), INCREMENTAL)).code());
    Sandbox back = ground.create(made.id());
    assertEquals("kept", ground.shell(back.id()).run("cat /tmp/file"));
  }

  private static void remove(Path volumes, String name) throws IOException {
    Path file =
        Trees.below(volumes).stream()
            .filter(path -> Files.isRegularFile(path) && path.endsWith(name))
            .findFirst()
            .orElseThrow();
    Files.delete(file);
  }

  /**
   * A rollback starts another VMM process: none of its changes were tracked, and its image is the
   * snapshot's.
   */
  @Test
  void anotherMachineOfTheSandboxBeginsAnew() {
    Sandbox sandbox = ground.create();
    Snapshot first = snapshot(ground, sandbox.id());
    ground.engine().sandboxes().rollback(sandbox.id(), first.id());
    String reason = report(snapshot(ground, sandbox.id())).modeReason();
    assertTrue(
        reason.endsWith("what changed since the machine was restored from " + first.id()), reason);
    ground.engine().sandboxes().rollback(sandbox.id(), first.id());
    ground.closeEngine();
    ground.openEngine();
    assertNoExcuse(snapshot(ground, sandbox.id()));
  }

  /**
   * Checks that the used mode is not itself reported as passed over: the previous capture was of
   * another machine, or there was none.
   */
  private static void assertNoExcuse(Snapshot snapshot) {
    CaptureReport report = report(snapshot);
    assertTrue(
        report.passedOver().stream().noneMatch(refusal -> refusal.mode().equals(report.mode())),
        report.modeReason());
  }

  /**
   * A tracker's knowledge is lost with the host process; a machine without a tracker loses nothing.
   */
  @Test
  void anotherHostSaysThatItDoesNotKnowWhatChanged() throws Exception {
    String best = tracks ? TRACKING : softDirty ? SOFT_DIRTY : null;
    if (best == null) {
      return;
    }
    Sandbox sandbox = ground.create();
    Sandbox fresh = ground.create();
    assertNoExcuse(snapshot(ground, sandbox.id()));
    Snapshot last = snapshot(ground, sandbox.id());
    assertNoExcuse(last);
    ground.closeEngine();
    ground.openEngine();
    double before = counted(best, best, Cause.HOST_RESTARTED);
    Snapshot next = snapshot(ground, sandbox.id());
    assertEquals(best, report(next).mode());
    assertPassedOver(next, best, Cause.HOST_RESTARTED, before);
    assertTrue(report(next).modeReason().contains(last.id()), report(next).modeReason());
    assertNoExcuse(snapshot(ground, sandbox.id()));
    assertNoExcuse(snapshot(ground, fresh.id()));
  }

  @Test
  void aCaptureThatFailedTooLateIsTheReasonOfTheNext() throws Exception {
    String best = tracks ? TRACKING : softDirty ? SOFT_DIRTY : null;
    if (best == null) {
      return;
    }
    double before = counted(best, best, Cause.CAPTURE_FAILED);
    Sandbox sandbox = ground.create();
    Snapshot first = snapshot(ground, sandbox.id());
    ground.steps().breakAt("snapshot.seal", 0);
    assertThrows(StepRecorder.Broken.class, () -> snapshot(ground, sandbox.id()));
    ground.steps().reset();
    Snapshot next = snapshot(ground, sandbox.id());
    assertEquals(best, report(next).mode());
    assertPassedOver(next, best, Cause.CAPTURE_FAILED, before);
    assertTrue(report(next).modeReason().contains(first.id()), report(next).modeReason());
    assertNoExcuse(snapshot(ground, sandbox.id()));
  }

  @Test
  void aCaptureInAnotherModeIsTheReasonOfTheNext() throws Exception {
    String best = tracks ? TRACKING : softDirty ? SOFT_DIRTY : null;
    if (best == null) {
      return;
    }
    Sandbox sandbox = ground.create();
    snapshot(ground, sandbox.id());
    Snapshot full = forced(ground, sandbox.id(), FULL);
    assertNoExcuse(full);
    double before = counted(best, best, Cause.OTHER_MODE);
    Snapshot next = snapshot(ground, sandbox.id());
    assertPassedOver(next, best, Cause.OTHER_MODE, before);
    assertTrue(report(next).modeReason().contains(full.id()), report(next).modeReason());
  }
}
