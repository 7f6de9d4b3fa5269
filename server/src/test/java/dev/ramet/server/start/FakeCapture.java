// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import dev.ramet.engine.snapshots.CaptureReport;
import dev.ramet.engine.snapshots.ModeRefusal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The report of a capture that the fake engine answers with. */
final class FakeCapture {
  private FakeCapture() {}

  static CaptureReport report() {
    Map<String, Long> phases = new LinkedHashMap<>();
    phases.put("devices", 1_000_000L);
    phases.put("disk", 250_000L);
    return CaptureReport.builder()
        .mode("full")
        .modeReason("first capture")
        .passedOver(
            List.of(new ModeRefusal("incremental", ModeRefusal.Cause.BASE_GONE, "s0 is gone")))
        .memoryBytesTotal(512)
        .memoryBytesSelected(256)
        .memoryBytesWritten(128)
        .memoryBytesHoles(128)
        .pauseNanos(1_250_000)
        .totalNanos(9)
        .phaseNanos(phases)
        .pausePhaseNanos(Map.of("stop", 250_000L))
        .precopyRounds(2)
        .precopyBytes(64)
        .replaced(new CaptureReport.Replaced("snap0", true, "nobody reads it"))
        .build();
  }
}
