// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ramet.engine.Metric;
import dev.ramet.engine.metrics.Registry;
import dev.ramet.engine.snapshots.CaptureReport;
import dev.ramet.engine.snapshots.ModeRefusal;
import dev.ramet.engine.state.SnapshotRecord;
import dev.ramet.errors.ErrorCode;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests that metrics are the sums of what captures report, each quantity under its own label. */
final class CaptureMetricsTest {
  private static final String TRACKING = "write-tracking";

  private final Registry registry = new Registry();
  private final CaptureMetrics metrics = new CaptureMetrics(registry);

  private static CaptureReport report(String mode, long pauseNanos, ModeRefusal... passedOver) {
    return CaptureReport.builder()
        .mode(mode)
        .modeReason("because")
        .passedOver(List.of(passedOver))
        .memoryBytesTotal(1000)
        .memoryBytesSelected(100)
        .memoryBytesWritten(60)
        .memoryBytesHoles(30)
        .pauseNanos(pauseNanos)
        .totalNanos(3_000_000_000L)
        .phaseNanos(Map.of("save", pauseNanos, "sync", 1L))
        .pausePhaseNanos(Map.of("save", pauseNanos))
        .precopyRounds(3)
        .precopyBytes(70)
        .build();
  }

  private Stream<Metric.Sample> samples(String name) {
    return registry.read().stream()
        .filter(metric -> metric.name().equals(name))
        .flatMap(metric -> metric.samples().stream());
  }

  private double value(String name, String suffix, Map<String, String> labels) {
    return samples(name)
        .filter(sample -> sample.suffix().equals(suffix) && sample.labels().equals(labels))
        .mapToDouble(Metric.Sample::value)
        .sum();
  }

  private double bytes(String mode, String what) {
    return value("ramet_capture_memory_bytes_total", "", Map.of("mode", mode, "what", what));
  }

  @Test
  void aCaptureIsCountedUnderItsMode() {
    metrics.recordCapture(SnapshotRecord.Kind.SNAPSHOT, report(TRACKING, 4_000_000));
    metrics.recordCapture(SnapshotRecord.Kind.SNAPSHOT, report(TRACKING, 30_000_000));
    metrics.recordCapture(SnapshotRecord.Kind.CLONE_BASE, report("full", 1_000_000));
    Map<String, String> tracking = Map.of("mode", TRACKING);
    assertEquals(
        2, value("ramet_captures_total", "", Map.of("mode", TRACKING, "kind", "snapshot")));
    assertEquals(
        1, value("ramet_captures_total", "", Map.of("mode", "full", "kind", "clone-base")));
    assertEquals(2, samples("ramet_captures_total").count());
    assertEquals(200, bytes(TRACKING, "selected"));
    assertEquals(120, bytes(TRACKING, "written"));
    assertEquals(60, bytes(TRACKING, "holes"));
    assertEquals(20, bytes(TRACKING, "same"), "selected, and neither written nor a hole");
    assertEquals(140, bytes(TRACKING, "precopied"));
    assertEquals(100, bytes("full", "selected"));
    assertEquals(6, value("ramet_capture_precopy_rounds_total", "", tracking));
    assertEquals(2, value("ramet_capture_pause_seconds", "_count", tracking));
    assertEquals(0.034, value("ramet_capture_pause_seconds", "_sum", tracking), 1e-9);
    assertEquals(
        1,
        value("ramet_capture_pause_seconds", "_bucket", Map.of("mode", TRACKING, "le", "0.005")));
    assertEquals(
        0.034,
        value(
            "ramet_capture_pause_phase_seconds_total",
            "",
            Map.of("mode", TRACKING, "phase", "save")),
        1e-9);
    assertEquals(6.0, value("ramet_capture_seconds", "_sum", tracking), 1e-9);
  }

  @Test
  void everyModePassedOverIsCountedByItsCause() {
    metrics.recordCapture(
        SnapshotRecord.Kind.SNAPSHOT,
        report(
            "incremental",
            1,
            new ModeRefusal(TRACKING, ModeRefusal.Cause.BASE_GONE, "s1 is gone"),
            new ModeRefusal("soft-dirty", ModeRefusal.Cause.UNUSABLE_HERE, "no bits")));
    metrics.recordCapture(
        SnapshotRecord.Kind.SNAPSHOT,
        report(TRACKING, 1, new ModeRefusal(TRACKING, ModeRefusal.Cause.HOST_RESTARTED, "anew")));
    assertEquals(1, passedOver(TRACKING, "incremental", "base-gone"));
    assertEquals(1, passedOver("soft-dirty", "incremental", "unusable-here"));
    assertEquals(1, passedOver(TRACKING, TRACKING, "host-restarted"));
    assertEquals(3, samples("ramet_memory_mode_passed_over_total").count());
  }

  private double passedOver(String mode, String used, String cause) {
    return value(
        "ramet_memory_mode_passed_over_total",
        "",
        Map.of("mode", mode, "used", used, "cause", cause));
  }

  @Test
  void aFailureIsCountedByItsErrorAndNotAsACapture() {
    metrics.recordFailure(ErrorCode.NO_SPACE);
    metrics.recordFailure(ErrorCode.NO_SPACE);
    assertEquals(2, value("ramet_capture_failures_total", "", Map.of("error", "NO_SPACE")));
    assertEquals(0, samples("ramet_captures_total").count());
  }
}
