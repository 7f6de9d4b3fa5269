// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.snapshots;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Describes how a capture went: its memory mode, its size and its times.
 *
 * @param mode id of the memory mode that selected the pages
 * @param modeReason why that mode was used
 * @param passedOver the preferred modes that could not be used, best first; the last may be {@code
 *     mode} itself, if it could not continue from the previous capture
 * @param memoryBytesTotal the size of the guest's memory
 * @param memoryBytesSelected bytes of the pages that the mode selected
 * @param memoryBytesWritten bytes written to the memory image; selected pages that are neither
 *     written nor holes turned out to equal the base
 * @param memoryBytesHoles selected bytes that were zero and became holes
 * @param pauseNanos how long the guest was paused
 * @param totalNanos from the request until the snapshot was durable
 * @param phaseNanos the total time by phase, in order
 * @param pausePhaseNanos the times of the phases during which the guest was paused
 * @param precopyRounds how many rounds of pre-copy ran before the pause
 * @param precopyBytes bytes copied by those rounds
 * @param replaced what happened to the snapshot that this one replaced, or null
 */
public record CaptureReport(
    String mode,
    String modeReason,
    List<ModeRefusal> passedOver,
    long memoryBytesTotal,
    long memoryBytesSelected,
    long memoryBytesWritten,
    long memoryBytesHoles,
    long pauseNanos,
    long totalNanos,
    Map<String, Long> phaseNanos,
    Map<String, Long> pausePhaseNanos,
    int precopyRounds,
    long precopyBytes,
    @Nullable Replaced replaced) {
  /** Replaces lists and maps that an older manifest lacks by empty ones. */
  public CaptureReport {
    passedOver = passedOver == null ? List.of() : List.copyOf(passedOver);
    pausePhaseNanos = pausePhaseNanos == null ? Map.of() : pausePhaseNanos;
  }

  /**
   * A snapshot that was given up in favor of the new one.
   *
   * @param snapshotId the id of the replaced snapshot
   * @param inPlace whether its memory volume was overwritten instead of making a new one
   * @param reason why it was, or was not, written in place
   */
  public record Replaced(String snapshotId, boolean inPlace, String reason) {}
}
