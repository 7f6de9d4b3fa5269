// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.sandboxes.CloneRequest;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.snapshots.CaptureReport;
import dev.ramet.engine.snapshots.ImageDifference;
import dev.ramet.engine.snapshots.Snapshot;
import dev.ramet.engine.snapshots.SnapshotDifference;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/**
 * Tests captures relative to the previous capture: their selection, their content, and cases in
 * which the previous capture cannot be used. Every capture is compared with all of the machine's
 * memory.
 */
final class TrackingTest extends TrackingGround {
  private static final int GENERATIONS = 5;
  private static final long BALLAST_BYTES = 40L << 20;
  private static final long INCREMENT_BYTES = 16L << 20;

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
  void aModeCanBeAskedForAndMustThenWork() throws Exception {
    Snapshot first = snapshot();
    write("file");
    assertMode("incremental", "requested", snapshot("incremental"));
    assertMode("full", "requested", snapshot("full"));
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
}
