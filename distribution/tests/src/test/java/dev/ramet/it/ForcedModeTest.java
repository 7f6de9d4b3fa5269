// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static dev.ramet.it.Modes.FULL;
import static dev.ramet.it.Modes.INCREMENTAL;
import static dev.ramet.it.Modes.forced;
import static dev.ramet.it.Modes.report;
import static dev.ramet.it.Modes.snapshot;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.EngineConfig;
import dev.ramet.engine.WantedShape;
import dev.ramet.engine.sandboxes.CloneRequest;
import dev.ramet.engine.sandboxes.ForkResult;
import dev.ramet.engine.sandboxes.NewSandbox;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.snapshots.CaptureReport;
import dev.ramet.engine.snapshots.Snapshot;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Checks that a forced memory mode is used for every capture it was forced for, or the capture
 * fails: never another mode.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ForcedModeTest {
  private @Nullable String ofHost;
  private Ground ground;

  @BeforeAll
  void makeGround() throws Exception {
    ground = Ground.make(Files.createTempDirectory("ramet-it-"), 3L << 30, this::forcing);
  }

  private EngineConfig forcing(EngineConfig base) {
    String mode = ofHost;
    return mode == null ? base : base.with("ramet.memory-mode", mode);
  }

  private void reopen(@Nullable String mode) {
    ground.closeEngine();
    ofHost = mode;
    ground.openEngine();
  }

  @AfterAll
  void clear() throws Exception {
    ground.close();
  }

  @AfterEach
  void end() {
    ground.clear();
  }

  private Sandbox create(@Nullable String mode, @Nullable Long memoryBytes) {
    return ground
        .engine()
        .sandboxes()
        .create(
            NewSandbox.of(Ground.TEMPLATE)
                .shape(new WantedShape(null, memoryBytes, null))
                .memoryMode(mode)
                .build());
  }

  private static void assertMode(String mode, String reason, Snapshot snapshot) {
    assertEquals(mode, report(snapshot).mode());
    assertTrue(report(snapshot).modeReason().contains(reason), report(snapshot).modeReason());
  }

  @Test
  void aModeForcedForASandboxHoldsForItsCapturesAndItsClones() throws Exception {
    Sandbox sandbox = create(INCREMENTAL, null);
    assertEquals(INCREMENTAL, sandbox.memoryMode());
    assertMode(INCREMENTAL, "forced for this sandbox", snapshot(ground, sandbox.id()));
    assertMode(FULL, "requested by the caller", forced(ground, sandbox.id(), FULL));
    List<Sandbox> clones =
        ground.engine().sandboxes().clone(sandbox.id(), new CloneRequest(1, 1, null)).sandboxes();
    assertMode(INCREMENTAL, "forced for this sandbox", snapshot(ground, clones.get(0).id()));
    List<Sandbox> others =
        ground
            .engine()
            .sandboxes()
            .clone(sandbox.id(), new CloneRequest(1, 1, null, FULL))
            .sandboxes();
    assertMode(FULL, "forced for this sandbox", snapshot(ground, others.get(0).id()));
    ground.closeEngine();
    ground.openEngine();
    assertEquals(INCREMENTAL, ground.engine().sandboxes().get(sandbox.id()).memoryMode());
    assertMode(INCREMENTAL, "forced for this sandbox", snapshot(ground, sandbox.id()));
  }

  /**
   * Returns the number of captures in a mode for a purpose, from the metrics, because the captures
   * of pauses are not listed.
   */
  private double captured(String mode, String kind) {
    return ground.metric("ramet_captures_total", Map.of("mode", mode, "kind", kind));
  }

  private void pauseAndResume(String id, @Nullable String mode) {
    ground.engine().sandboxes().pause(id, true, mode);
    ground.engine().sandboxes().resume(id, null, true);
  }

  @Test
  void aForcedModeReachesAPause() throws Exception {
    Sandbox sandbox = create(INCREMENTAL, null);
    ground.shell(sandbox.id()).run("echo before > /tmp/file");
    double before = captured(INCREMENTAL, "pause");
    pauseAndResume(sandbox.id(), null);
    assertEquals(before + 1, captured(INCREMENTAL, "pause"), "forced for the sandbox");
    before = captured(FULL, "pause");
    pauseAndResume(sandbox.id(), FULL);
    assertEquals(before + 1, captured(FULL, "pause"), "requested by the caller");
    assertEquals("before", ground.shell(sandbox.id()).run("cat /tmp/file"));

    reopen(FULL);
    Sandbox other = ground.create();
    pauseAndResume(other.id(), null);
    assertEquals(1, captured(FULL, "pause"), "forced by the configuration");
    pauseAndResume(other.id(), INCREMENTAL);
    assertEquals(1, captured(INCREMENTAL, "pause"), "the caller goes first");
    pauseAndResume(sandbox.id(), null);
    assertEquals(2, captured(INCREMENTAL, "pause"), "and then the sandbox");
    reopen(null);
  }

  @Test
  void aForcedModeThatCannotPauseIsAnErrorAndTheSandboxRunsOn() throws Exception {
    Sandbox booted = create(null, 192L << 20);
    SortedSet<String> files = ground.files();
    pauseRefused(ErrorCode.UNSUPPORTED, booted, true, INCREMENTAL);
    pauseRefused(ErrorCode.INVALID_ARGUMENT, booted, true, "telepathy");
    pauseRefused(ErrorCode.INVALID_ARGUMENT, booted, false, FULL);
    assertEquals(files, ground.files());
    reopen(INCREMENTAL);
    pauseRefused(ErrorCode.UNSUPPORTED, booted, true, null);
    assertEquals(files, ground.files());
    pauseAndResume(booted.id(), FULL);
    assertEquals("yes", ground.shell(booted.id()).run("echo yes"));
    reopen(null);
  }

  private void pauseRefused(
      ErrorCode code, Sandbox sandbox, boolean keepMemory, @Nullable String mode)
      throws IOException {
    RametException refused =
        assertThrows(
            RametException.class,
            () -> ground.engine().sandboxes().pause(sandbox.id(), keepMemory, mode));
    assertEquals(code, refused.code(), refused.toString());
    assertEquals(Sandbox.State.RUNNING, ground.engine().sandboxes().get(sandbox.id()).state());
    assertEquals("on", ground.shell(sandbox.id()).run("echo on"));
  }

  @Test
  void aForcedModeReachesTheCaptureThatClonesStartFrom() throws Exception {
    Sandbox sandbox = create(INCREMENTAL, null);
    CloneRequest plain = new CloneRequest(1, 1, null);
    CaptureReport report = ground.engine().sandboxes().clone(sandbox.id(), plain).capture();
    assertEquals(INCREMENTAL, Objects.requireNonNull(report).mode());
    CloneRequest full = new CloneRequest(1, 1, null, FULL);
    report = ground.engine().sandboxes().clone(sandbox.id(), full).capture();
    assertEquals(FULL, Objects.requireNonNull(report).mode());
    assertTrue(report.modeReason().contains("requested by the caller"), report.modeReason());
    double before = captured(FULL, "clone-base");
    List<ForkResult> forks = ground.engine().sandboxes().fork(sandbox.id(), full);
    assertTrue(forks.get(0) instanceof ForkResult.Made, forks.toString());
    assertEquals(before + 1, captured(FULL, "clone-base"));

    Sandbox booted = create(null, 192L << 20);
    CloneRequest impossible = new CloneRequest(2, 2, null, INCREMENTAL);
    SortedSet<String> files = ground.files();
    RametException refused =
        assertThrows(
            RametException.class, () -> ground.engine().sandboxes().clone(booted.id(), impossible));
    assertEquals(ErrorCode.UNSUPPORTED, refused.code());
    assertEquals(files, ground.files(), "no clone, and nothing of a capture");
    // A paused sandbox is already captured: the mode applies to the clones alone.
    ground.engine().sandboxes().pause(booted.id(), true);
    List<Sandbox> clones = ground.engine().sandboxes().clone(booted.id(), impossible).sandboxes();
    assertEquals(INCREMENTAL, clones.get(0).memoryMode());
  }

  @Test
  void aModeThatCouldNeverWorkForASandboxIsRefusedAtItsCreation() throws Exception {
    SortedSet<String> before = ground.files();
    assertEquals(
        ErrorCode.INVALID_ARGUMENT,
        assertThrows(RametException.class, () -> create("telepathy", null)).code());
    assertEquals(
        ErrorCode.UNSUPPORTED,
        assertThrows(RametException.class, () -> create(INCREMENTAL, 192L << 20)).code());
    assertEquals(before, ground.files());
    Sandbox sandbox = ground.create();
    SortedSet<String> now = ground.files();
    assertEquals(
        ErrorCode.INVALID_ARGUMENT,
        assertThrows(
                RametException.class,
                () ->
                    ground
                        .engine()
                        .sandboxes()
                        .clone(sandbox.id(), new CloneRequest(1, 1, null, "telepathy")))
            .code());
    assertEquals(now, ground.files());
  }
}
