// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.api.ErrorCode;
import dev.ramet.api.RametException;
import dev.ramet.engine.CaptureReport;
import dev.ramet.engine.CloneRequest;
import dev.ramet.engine.EngineConfig;
import dev.ramet.engine.ForkResult;
import dev.ramet.engine.Metric;
import dev.ramet.engine.ModeRefusal;
import dev.ramet.engine.ModeRefusal.Cause;
import dev.ramet.engine.NewSandbox;
import dev.ramet.engine.NewSnapshot;
import dev.ramet.engine.Sandbox;
import dev.ramet.engine.Snapshot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.SortedSet;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * A memory mode that cannot do a capture means the next one, never an error, and the reason is seen
 * in the manifest, in the log and in the metrics. A mode that was forced and cannot do it is an
 * error. The kernel of the host decides which modes there are: the tests say what each must lead
 * to.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class DegradationTest {
  private static final String TRACKING = "write-tracking";
  private static final String SOFT_DIRTY = "soft-dirty";
  private static final String INCREMENTAL = "incremental";
  private static final String FULL = "full";

  private @Nullable String ofHost;
  private Ground ground;
  private LogRecorder log;
  private boolean tracks;
  private boolean softDirty;

  @BeforeAll
  void makeGround() throws Exception {
    ground = Ground.make(Files.createTempDirectory("ramet-it-"), 3L << 30, this::forcing);
    log = LogRecorder.of("dev.ramet.engine.core.Capturer");
    tracks = usable(TRACKING);
    softDirty = usable(SOFT_DIRTY);
  }

  private EngineConfig forcing(EngineConfig base) {
    return new EngineConfig(
        base.dataRoot(),
        base.guestDirectory(),
        base.cacheDirectory(),
        base.provision(),
        base.provisionBytes(),
        base.storageBackend(),
        base.memoryRoot(),
        base.hypervisor(),
        ofHost,
        base.verifyCaptures(),
        base.plugins(),
        base.pluginSettings(),
        base.outbound(),
        base.stagingBytes(),
        base.preCopy(),
        base.memoryVolumes(),
        base.workingSet(),
        base.cloneConcurrency(),
        base.startTimeout(),
        base.agentTimeout(),
        base.steps());
  }

  private void reopen(@Nullable String mode) {
    ground.closeEngine();
    ofHost = mode;
    ground.openEngine();
  }

  private boolean usable(String mode) {
    return ground.engine().doctor().report(false).plugins().stream()
        .anyMatch(plugin -> plugin.id().equals(mode) && plugin.outcome().equals("usable"));
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

  private Snapshot snapshot(String sandbox) {
    return ground.engine().snapshots().create(sandbox, null);
  }

  private Snapshot forced(String sandbox, String mode) {
    return ground.engine().snapshots().create(new NewSnapshot(sandbox, null, null, mode, true));
  }

  private static CaptureReport report(Snapshot snapshot) {
    return Objects.requireNonNull(snapshot.capture());
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
    return ground.engine().metrics().stream()
        .filter(metric -> metric.name().equals("ramet_memory_mode_passed_over_total"))
        .flatMap(metric -> metric.samples().stream())
        .filter(sample -> sample.labels().equals(labels))
        .mapToDouble(Metric.Sample::value)
        .sum();
  }

  /** Everything a reader has must tell that {@code mode} was passed over because of this. */
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
                new NewSandbox(
                    Ground.TEMPLATE, null, Map.of(), Map.of(), null, 192L << 20, null, null));
    Snapshot made = snapshot(booted.id());
    assertEquals(FULL, report(made).mode());
    assertPassedOver(made, INCREMENTAL, Cause.BOOTED, before);
  }

  @Test
  void whatTheKernelLacksIsPassedOver() throws Exception {
    String best = tracks ? TRACKING : softDirty ? SOFT_DIRTY : INCREMENTAL;
    String missing = tracks ? SOFT_DIRTY : TRACKING;
    Sandbox sandbox = ground.create();
    Snapshot first = snapshot(sandbox.id());
    assertEquals(best, report(first).mode());
    ground.engine().snapshots().delete(first.id(), false);
    double before = counted(missing, INCREMENTAL, Cause.UNUSABLE_HERE);
    Snapshot second = snapshot(sandbox.id());
    assertEquals(INCREMENTAL, report(second).mode());
    if (!usable(missing)) {
      assertPassedOver(second, missing, Cause.UNUSABLE_HERE, before);
      assertEquals(
          ErrorCode.UNSUPPORTED,
          assertThrows(RametException.class, () -> forced(sandbox.id(), missing)).code());
    }
  }

  @Test
  void aDeletedPreviousCaptureMeansTheRestoreImage() throws Exception {
    String best = tracks ? TRACKING : softDirty ? SOFT_DIRTY : null;
    if (best == null) {
      return; // Then there is no previous capture to build on: see the test above.
    }
    double before = counted(best, INCREMENTAL, Cause.BASE_GONE);
    Sandbox sandbox = ground.create();
    Snapshot first = snapshot(sandbox.id());
    ground.engine().snapshots().delete(first.id(), false);
    Snapshot second = snapshot(sandbox.id());
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
    snapshot(sandbox.id());
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
    Snapshot second = snapshot(sandbox.id());
    assertEquals(INCREMENTAL, report(second).mode());
    assertPassedOver(second, best, Cause.TRACKING_LOST, before);
  }

  /** The image of a template was lost on disk while a machine still has it mapped. */
  @Test
  void aBrokenChainMeansFull() throws Exception {
    double before = counted(INCREMENTAL, FULL, Cause.BASE_GONE);
    Sandbox parent = ground.create();
    ground.shell(parent.id()).run("echo kept > /tmp/file");
    Snapshot base = snapshot(parent.id());
    Sandbox sandbox = ground.create(base.id());
    Path volumes = ground.root().resolve("volumes");
    ground.closeEngine();
    remove(volumes, base.id() + ".memory");
    ground.openEngine();
    Snapshot made = snapshot(sandbox.id());
    assertEquals(FULL, report(made).mode());
    assertPassedOver(made, INCREMENTAL, Cause.BASE_GONE, before);
    assertEquals(
        ErrorCode.UNSUPPORTED,
        assertThrows(RametException.class, () -> forced(sandbox.id(), INCREMENTAL)).code());
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

  /** Another hypervisor process: nothing is known of it, and its image is the snapshot's. */
  @Test
  void anotherMachineOfTheSandboxBeginsAnew() {
    Sandbox sandbox = ground.create();
    Snapshot first = snapshot(sandbox.id());
    ground.engine().sandboxes().rollback(sandbox.id(), first.id());
    String reason = report(snapshot(sandbox.id())).modeReason();
    assertTrue(
        reason.endsWith("what changed since the machine was restored from " + first.id()), reason);
  }

  @Test
  void aModeForcedForASandboxHoldsForItsCapturesAndItsClones() throws Exception {
    Sandbox sandbox = create(INCREMENTAL, null);
    assertEquals(INCREMENTAL, sandbox.memoryMode());
    assertMode(INCREMENTAL, "forced for this sandbox", snapshot(sandbox.id()));
    assertMode(FULL, "asked for by the caller", forced(sandbox.id(), FULL));
    List<Sandbox> clones =
        ground.engine().sandboxes().clone(sandbox.id(), new CloneRequest(1, 1, null)).sandboxes();
    assertMode(INCREMENTAL, "forced for this sandbox", snapshot(clones.get(0).id()));
    List<Sandbox> others =
        ground
            .engine()
            .sandboxes()
            .clone(sandbox.id(), new CloneRequest(1, 1, null, FULL))
            .sandboxes();
    assertMode(FULL, "forced for this sandbox", snapshot(others.get(0).id()));
    ground.closeEngine();
    ground.openEngine();
    assertEquals(INCREMENTAL, ground.engine().sandboxes().get(sandbox.id()).memoryMode());
    assertMode(INCREMENTAL, "forced for this sandbox", snapshot(sandbox.id()));
  }

  private Sandbox create(@Nullable String mode, @Nullable Long memoryBytes) {
    return ground
        .engine()
        .sandboxes()
        .create(
            new NewSandbox(
                Ground.TEMPLATE, null, Map.of(), Map.of(), null, memoryBytes, null, mode));
  }

  private static void assertMode(String mode, String reason, Snapshot snapshot) {
    assertEquals(mode, report(snapshot).mode());
    assertTrue(report(snapshot).modeReason().contains(reason), report(snapshot).modeReason());
  }

  /** What was captured in a mode for a purpose; the captures themselves are not shown. */
  private double captured(String mode, String kind) {
    return ground.engine().metrics().stream()
        .filter(metric -> metric.name().equals("ramet_captures_total"))
        .flatMap(metric -> metric.samples().stream())
        .filter(sample -> sample.labels().equals(Map.of("mode", mode, "kind", kind)))
        .mapToDouble(Metric.Sample::value)
        .sum();
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
    assertEquals(before + 1, captured(FULL, "pause"), "asked for by the caller");
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
    assertTrue(report.modeReason().contains("asked for by the caller"), report.modeReason());
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
    // A paused one was captured when it was: the mode is for the clones alone.
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
