// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.sandboxes.CloneRequest;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.snapshots.CaptureReport;
import dev.ramet.engine.snapshots.ImageDifference;
import dev.ramet.engine.snapshots.NewSnapshot;
import dev.ramet.engine.snapshots.Snapshot;
import dev.ramet.engine.snapshots.SnapshotDifference;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests captures relative to the previous capture: their selection, their content, and cases in
 * which the previous capture cannot be used. Every capture is compared with all of the machine's
 * memory.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class TrackingTest {
  private static final String TRACKING = "write-tracking";
  private static final int GENERATIONS = 5;
  private static final long BALLAST_BYTES = 40L << 20;
  private static final long INCREMENT_BYTES = 16L << 20;

  private Ground ground;
  private String id = "";
  private GuestShell shell;

  @BeforeAll
  void makeGround() throws Exception {
    ground = Ground.make();
    ground.requireTracking();
  }

  @AfterAll
  void clear() throws Exception {
    ground.close();
  }

  @BeforeEach
  void begin() {
    use(ground.create());
  }

  private void use(Sandbox sandbox) {
    id = sandbox.id();
    shell = ground.shell(id);
  }

  @AfterEach
  void end() {
    ground.clear();
  }

  private Snapshot snapshot() {
    return ground.engine().snapshots().create(id, null);
  }

  private Snapshot snapshot(String mode) {
    return ground.engine().snapshots().create(NewSnapshot.of(id, null).by(mode));
  }

  private static CaptureReport report(Snapshot snapshot) {
    return Objects.requireNonNull(snapshot.capture());
  }

  private static void assertMode(String mode, String reason, Snapshot snapshot) {
    CaptureReport report = report(snapshot);
    assertEquals(mode, report.mode(), report.modeReason());
    assertTrue(report.modeReason().contains(reason), report.modeReason());
  }

  private static void assertFollows(Snapshot previous, Snapshot snapshot) {
    assertMode(TRACKING, "previous capture, " + previous.id(), snapshot);
  }

  /** Writes random bytes to memory and disk; returns their hash. */
  private String write(String name) throws IOException {
    return shell.run(
        ("head -c 1000000 /dev/urandom > /tmp/NAME; cp /tmp/NAME /root/NAME; sync;"
                + " sha256sum < /tmp/NAME")
            .replace("NAME", name));
  }

  private static String hash(GuestShell shell, String name) throws IOException {
    String memory = shell.run("sha256sum < /tmp/" + name);
    assertEquals(memory, shell.run("sha256sum < /root/" + name), "disk and memory are a pair");
    return memory;
  }

  /** Returns the hash of a file in a machine restored from the snapshot. */
  private String restored(Snapshot snapshot, String name) throws IOException {
    Sandbox back = ground.create(snapshot.id());
    try {
      return hash(ground.shell(back.id()), name);
    } finally {
      ground.engine().sandboxes().kill(back.id());
    }
  }

  @Test
  void generationsOfSmallCapturesEachHoldTheirOwnInstant() throws Exception {
    shell.run("head -c " + BALLAST_BYTES + " /dev/urandom > /tmp/ballast");
    List<Snapshot> made = new ArrayList<>();
    List<String> hashes = new ArrayList<>();
    for (int generation = 0; generation < GENERATIONS; generation++) {
      hashes.add(write("file"));
      made.add(snapshot());
    }
    assertMode(TRACKING, "restored from", made.get(0));
    assertTrue(report(made.get(0)).memoryBytesWritten() > BALLAST_BYTES);
    for (int i = 1; i < GENERATIONS; i++) {
      assertFollows(made.get(i - 1), made.get(i));
      CaptureReport report = report(made.get(i));
      assertTrue(report.memoryBytesWritten() < INCREMENT_BYTES, report.toString());
    }
    for (int i = 0; i < GENERATIONS; i++) {
      assertEquals(hashes.get(i), restored(made.get(i), "file"), "generation " + i);
    }

    ground.engine().sandboxes().rollback(id, made.get(2).id());
    shell = ground.shell(id);
    assertEquals(hashes.get(2), hash(shell, "file"));
    Snapshot rolledBack = snapshot();
    assertMode(TRACKING, "restored from " + made.get(2).id(), rolledBack);

    List<Sandbox> clones =
        ground.engine().sandboxes().clone(id, new CloneRequest(2, 2, null)).sandboxes();
    for (Sandbox clone : clones) {
      assertEquals(hashes.get(2), hash(ground.shell(clone.id()), "file"));
    }
    // The clones rest on the capture they were made from, so it is still there as the baseline.
    String now = write("file");
    Snapshot afterClone = snapshot();
    assertMode(TRACKING, "previous capture", afterClone);
    assertEquals(now, restored(afterClone, "file"));

    use(clones.get(0));
    String inClone = write("file");
    Snapshot ofClone = snapshot();
    assertFollows(ofClone, snapshot());
    assertEquals(inClone, restored(ofClone, "file"));
  }

  /**
   * A capture selects the pages that were written, a few of which hold the same bytes as before.
   */
  @Test
  void aComparisonFindsWhatWasWrittenBetweenTwoCaptures() throws Exception {
    Snapshot first = snapshot();
    write("file");
    Snapshot second = snapshot();
    assertFollows(first, second);
    SnapshotDifference difference = ground.engine().snapshots().diff(first.id(), second.id(), 9);
    ImageDifference memory = Objects.requireNonNull(difference.memory());
    assertTrue(memory.differingBytes() >= 1_000_000, memory.toString());
    assertTrue(difference.disk().differingBytes() >= 1_000_000, difference.toString());
    CaptureReport report = report(second);
    assertTrue(memory.differingBytes() <= report.memoryBytesSelected(), memory.toString());
    assertTrue(memory.sharedBytes() > memory.comparedBytes(), memory.toString());
    assertEquals(9, memory.ranges().size());
    SnapshotDifference none = ground.engine().snapshots().diff(first.id(), first.id(), 9);
    assertEquals(0, Objects.requireNonNull(none.memory()).differingBytes());
    assertEquals(0, none.disk().comparedBytes());
    refusedDiff(ErrorCode.NOT_FOUND, first.id(), "nowhere");
  }

  private void refusedDiff(ErrorCode code, String a, String b) {
    RametException refused =
        assertThrows(RametException.class, () -> ground.engine().snapshots().diff(a, b, 9));
    assertEquals(code, refused.code());
  }

  private double counted(String name, String... more) {
    Map<String, String> labels = new HashMap<>(Map.of("mode", TRACKING));
    for (int i = 0; i < more.length; i += 2) {
      labels.put(more[i], more[i + 1]);
    }
    return ground.metric(name, labels);
  }

  /** Returns the metrics of captures in this mode so far, in the order of {@link #told}. */
  private List<Double> counted() {
    String bytes = "ramet_capture_memory_bytes_total";
    double pauses = counted("ramet_capture_pause_seconds", "le", "+Inf");
    return List.of(
        counted("ramet_captures_total", "kind", "snapshot"),
        counted(bytes, "what", "selected"),
        counted(bytes, "what", "written"),
        counted(bytes, "what", "holes"),
        counted(bytes, "what", "same"),
        counted(bytes, "what", "precopied"),
        counted("ramet_capture_precopy_rounds_total"),
        pauses,
        counted("ramet_capture_pause_seconds") - pauses,
        counted("ramet_capture_pause_phase_seconds_total", "phase", "devices"));
  }

  private static List<Double> told(CaptureReport report) {
    long put = report.memoryBytesWritten() + report.memoryBytesHoles();
    return List.of(
        1.0,
        (double) report.memoryBytesSelected(),
        (double) report.memoryBytesWritten(),
        (double) report.memoryBytesHoles(),
        (double) (report.memoryBytesSelected() - put),
        (double) report.precopyBytes(),
        (double) report.precopyRounds(),
        1.0,
        report.pauseNanos() / 1e9,
        Objects.requireNonNull(report.pausePhaseNanos().get("devices")) / 1e9);
  }

  @Test
  void theMetricsAddUpWhatCapturesReport() throws Exception {
    List<Double> before = counted();
    CaptureReport first = report(snapshot());
    write("file");
    CaptureReport second = report(snapshot());
    assertTrue(first.precopyRounds() > 0 && first.precopyBytes() > 0, first.toString());
    assertTrue(second.memoryBytesSelected() > 0 && second.pauseNanos() > 0, second.toString());
    List<Double> now = counted();
    for (int i = 0; i < now.size(); i++) {
      double told = told(first).get(i) + told(second).get(i);
      assertEquals(told, now.get(i) - before.get(i), 1e-6, "quantity " + i + " of " + now);
    }
    ground.steps().breakAt("snapshot.publish", 0);
    assertThrows(StepRecorder.Broken.class, this::snapshot);
    ground.steps().reset();
    assertEquals(now, counted(), "a capture that failed is none");
  }

  @Test
  void aDeletedPreviousCaptureMeansOneCaptureOnTheRestoreImage() throws Exception {
    Snapshot first = snapshot();
    write("file");
    Snapshot second = snapshot();
    assertFollows(first, second);
    ground.engine().snapshots().delete(second.id(), false);
    String hash = write("file");
    Snapshot third = snapshot();
    assertMode(
        "incremental", TRACKING + ": the previous capture (" + second.id() + ") is gone; ", third);
    assertTrue(report(third).modeReason().contains("incremental: "), report(third).modeReason());
    assertEquals(hash, restored(third, "file"));
    Snapshot fourth = snapshot();
    assertMode(TRACKING, "restored from", fourth);
    hash = write("file");
    Snapshot fifth = snapshot();
    assertFollows(fourth, fifth);
    assertEquals(hash, restored(fifth, "file"));
  }

  @Test
  void trackingThatIsLostInsideThePauseMeansTheSameCaptureInTheNextMode() throws Exception {
    Snapshot first = snapshot();
    String hash = write("file");
    AtomicBoolean lost = new AtomicBoolean();
    ground
        .steps()
        .doAt(
            "snapshot.select",
            () -> {
              if (!lost.getAndSet(true)) {
                throw new RametException(ErrorCode.UNSUPPORTED, "tracking lost: told so");
              }
            });
    Snapshot second = snapshot();
    ground.steps().reset();
    assertMode("incremental", TRACKING + ": tracking lost: told so; ", second);
    assertEquals(hash, restored(second, "file"));
    assertEquals(2, ground.engine().snapshots().list(id).size(), "nothing of the first attempt");
    Snapshot third = snapshot();
    assertMode(TRACKING, "restored from", third);
    assertFollows(third, snapshot());
    assertNotEquals(first.id(), third.id());
  }

  /** Changes that the tracker has already discarded must be found again. */
  @ParameterizedTest
  @ValueSource(strings = {"snapshot.resume", "snapshot.write", "snapshot.seal", "snapshot.publish"})
  void aCaptureThatFailsAfterItWasCommittedLosesNothing(String step) throws Exception {
    snapshot();
    write("file");
    ground.steps().breakAt(step, 0);
    assertThrows(StepRecorder.Broken.class, this::snapshot);
    ground.steps().reset();
    String hash = hash(shell, "file");
    Snapshot next = snapshot();
    assertMode(TRACKING, "restored from", next);
    assertMode(TRACKING, "failed after its pages were read; ", next);
    assertEquals(hash, restored(next, "file"));
    assertFollows(next, snapshot());
  }

  @ParameterizedTest
  @ValueSource(strings = {"snapshot.memory", "snapshot.select", "snapshot.read", "snapshot.track"})
  void aCaptureThatFailsBeforeThatIsAsIfItHadNotBeen(String step) throws Exception {
    Snapshot first = snapshot();
    write("file");
    ground.steps().breakAt(step, 0);
    assertThrows(StepRecorder.Broken.class, this::snapshot);
    ground.steps().reset();
    String hash = hash(shell, "file");
    Snapshot next = snapshot();
    assertFollows(first, next);
    assertEquals(hash, restored(next, "file"));
  }

  @Test
  void aModeCanBeAskedForAndMustThenWork() throws Exception {
    Snapshot first = snapshot();
    write("file");
    assertMode("incremental", "asked for", snapshot("incremental"));
    assertMode("full", "asked for", snapshot("full"));
    String hash = write("file");
    Snapshot tracked = snapshot(TRACKING);
    assertMode(TRACKING, "restored from", tracked);
    assertEquals(hash, restored(tracked, "file"));
    ground.engine().snapshots().delete(tracked.id(), false);
    ground.engine().snapshots().delete(first.id(), false);
    assertMode(TRACKING, "is gone", snapshot(TRACKING));
    RametException unknown = assertThrows(RametException.class, () -> snapshot("telepathy"));
    assertEquals(ErrorCode.INVALID_ARGUMENT, unknown.code());
  }

  @Test
  void anotherHostBeginsToTrackAnew() throws Exception {
    Snapshot last = snapshot();
    write("file");
    ground.closeEngine();
    ground.openEngine();
    shell = ground.shell(id);
    String hash = write("file");
    Snapshot next = snapshot();
    assertMode(TRACKING, "restored from", next);
    assertMode(TRACKING, "restarted after the previous capture, " + last.id() + "; ", next);
    assertEquals(hash, restored(next, "file"));
    assertFollows(next, snapshot());
  }
}
