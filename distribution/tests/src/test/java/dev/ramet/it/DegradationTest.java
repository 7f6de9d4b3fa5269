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
import dev.ramet.engine.snapshots.CaptureReport;
import dev.ramet.engine.snapshots.ModeRefusal;
import dev.ramet.engine.snapshots.ModeRefusal.Cause;
import dev.ramet.engine.snapshots.Snapshot;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.SortedSet;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Checks that a capture uses the next memory mode, without an error, when a mode cannot do it, and
 * that the reason is in the manifest, the log and the metrics. The host's kernel decides which
 * modes are available: the tests state the result for each case.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class DegradationTest {
  private Ground ground;
  private LogRecorder log;
  private boolean tracks;
  private boolean softDirty;

  @BeforeAll
  void makeGround() throws Exception {
    ground = Ground.make();
    log = LogRecorder.of("dev.ramet.engine.capture.Capturer");
    tracks = usable(TRACKING);
    softDirty = usable(SOFT_DIRTY);
  }

  private boolean usable(String mode) {
    return ground.engine().doctor().report(false).plugins().stream()
        .anyMatch(plugin -> plugin.id().equals(mode) && plugin.outcome().name().equals("usable"));
  }

  @AfterAll
  void clear() throws Exception {
    log.close();
    ground.close();
  }

  @AfterEach
  void end() {
    ground.clear();
  }

  private double counted(String mode, String used, Cause cause) {
    Map<String, String> labels =
        Map.of(
            "mode",
            mode,
            "used",
            used,
            "cause",
            cause.name().toLowerCase(Locale.ROOT).replace('_', '-'));
    return ground.metric("ramet_memory_mode_passed_over_total", labels);
  }

  /**
   * Checks that the report, the manifest, the log and the metrics all say that {@code mode} was
   * passed over for this cause.
   */
  private void assertPassedOver(Snapshot snapshot, String mode, Cause cause, double countedBefore)
      throws IOException {
    CaptureReport report = report(snapshot);
    ModeRefusal refusal =
        report.passedOver().stream().filter(r -> r.mode().equals(mode)).findFirst().orElseThrow();
    assertEquals(cause, refusal.cause(), report.modeReason());
    assertTrue(report.modeReason().contains(mode + ": " + refusal.detail()), report.modeReason());
    assertEquals(
        report.modeReason(), report(ground.engine().snapshots().get(snapshot.id())).modeReason());
    String manifest =
        Files.readString(
            ground.root().resolve("snapshots").resolve(snapshot.id()).resolve("manifest.json"));
    assertTrue(manifest.contains(report.modeReason()), manifest);
    assertTrue(manifest.contains(cause.name()), manifest);
    assertTrue(
        log.messages().stream()
            .anyMatch(
                line ->
                    line.contains(snapshot.id())
                        && line.endsWith(report.mode() + ": " + report.modeReason())),
        "not in the log: " + report.modeReason());
    assertEquals(countedBefore + 1, counted(mode, report.mode(), cause));
  }

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
