// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.capture;

import dev.ramet.engine.metrics.Counter;
import dev.ramet.engine.metrics.Histogram;
import dev.ramet.engine.metrics.Registry;
import dev.ramet.engine.snapshots.CaptureReport;
import dev.ramet.engine.snapshots.ModeRefusal;
import dev.ramet.engine.state.SnapshotRecord;
import dev.ramet.errors.ErrorCode;

/** Metrics of captures: the numbers in each capture's manifest, summed up. Thread-safe. */
public final class CaptureMetrics {
  private static final double NANOS = 1e9;
  private static final double[] PAUSE_BOUNDS = {
    0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 5
  };
  private static final double[] TOTAL_BOUNDS = {0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 60};

  private final Counter captures;
  private final Counter failures;
  private final Counter refusals;
  private final Counter bytes;
  private final Counter rounds;
  private final Counter phases;
  private final Histogram pause;
  private final Histogram total;

  public CaptureMetrics(Registry registry) {
    captures =
        registry.counter(
            "ramet_captures_total",
            "Captures that became a snapshot, the hidden snapshot that clones start from, or a"
                + " template.",
            "mode",
            "kind");
    failures =
        registry.counter(
            "ramet_capture_failures_total", "Captures that failed, by error code.", "error");
    refusals =
        registry.counter(
            "ramet_memory_mode_passed_over_total",
            "Better memory modes that a capture passed over, by the mode used instead, which is"
                + " the same one if only the previous capture could not be built on.",
            "mode",
            "used",
            "cause");
    bytes =
        registry.counter(
            "ramet_capture_memory_bytes_total",
            "Memory that captures selected, wrote, left as holes, and copied before the pause.",
            "mode",
            "what");
    rounds =
        registry.counter(
            "ramet_capture_precopy_rounds_total",
            "Rounds in which captures copied pages before the pause.",
            "mode");
    pause =
        registry.histogram(
            "ramet_capture_pause_seconds",
            "How long a capture paused the machine.",
            PAUSE_BOUNDS,
            "mode");
    phases =
        registry.counter(
            "ramet_capture_pause_phase_seconds_total",
            "The time that machines were paused, by phase.",
            "mode",
            "phase");
    total =
        registry.histogram(
            "ramet_capture_seconds",
            "Time from the request for a capture until it was durable.",
            TOTAL_BOUNDS,
            "mode");
  }

  void recordCapture(SnapshotRecord.Kind kind, CaptureReport report) {
    String mode = report.mode();
    captures.increment(mode, Registry.label(kind));
    for (ModeRefusal refusal : report.passedOver()) {
      refusals.increment(refusal.mode(), mode, Registry.label(refusal.cause()));
    }
    bytes.add((double) report.memoryBytesSelected(), mode, "selected");
    bytes.add((double) report.memoryBytesWritten(), mode, "written");
    long put = report.memoryBytesWritten() + report.memoryBytesHoles();
    bytes.add((double) (report.memoryBytesSelected() - put), mode, "same");
    bytes.add((double) report.memoryBytesHoles(), mode, "holes");
    bytes.add((double) report.precopyBytes(), mode, "precopied");
    rounds.add(report.precopyRounds(), mode);
    pause.observe(report.pauseNanos() / NANOS, mode);
    report.pausePhaseNanos().forEach((phase, nanos) -> phases.add(nanos / NANOS, mode, phase));
    total.observe(report.totalNanos() / NANOS, mode);
  }

  void recordFailure(ErrorCode code) {
    failures.increment(code.name());
  }
}
