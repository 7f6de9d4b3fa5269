// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.view;

import dev.ramet.api.snapshot.CaptureInfo;
import dev.ramet.engine.snapshots.CaptureReport;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Converts statistics of captures to their wire form. */
public final class CaptureView {
  private CaptureView() {}

  public static CaptureInfo of(CaptureReport c) {
    return CaptureInfo.builder()
        .mode(c.mode())
        .modeReason(c.modeReason())
        .passedOver(
            c.passedOver().stream()
                .map(r -> new CaptureInfo.PassedOver(r.mode(), word(r.cause()), r.detail()))
                .toList())
        .memoryBytesTotal(c.memoryBytesTotal())
        .memoryBytesSelected(c.memoryBytesSelected())
        .memoryBytesWritten(c.memoryBytesWritten())
        .memoryBytesHoles(c.memoryBytesHoles())
        .pauseMs(Units.millis(c.pauseNanos()))
        .totalMs(Units.millis(c.totalNanos()))
        .phasesMs(Units.millis(c.phaseNanos()))
        .pausePhasesMs(Units.millis(c.pausePhaseNanos()))
        .precopyRounds(c.precopyRounds())
        .precopyBytes(c.precopyBytes())
        .replaced(of(c.replaced()))
        .build();
  }

  private static CaptureInfo.@Nullable Replaced of(CaptureReport.@Nullable Replaced r) {
    return r == null
        ? null
        : new CaptureInfo.Replaced(
            r.snapshotId(), r.inPlace() ? "in-place" : "rebuild", r.reason());
  }

  private static String word(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
