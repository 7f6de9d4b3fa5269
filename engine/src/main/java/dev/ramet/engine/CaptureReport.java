// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How a capture went.
 *
 * @param mode the memory mode that selected the pages
 * @param modeReason why that mode
 * @param passedOver the better modes that could not do it, best first; the last may be the mode
 *     itself, which could not go on from the previous capture
 * @param memoryBytesTotal the guest's memory
 * @param memoryBytesSelected pages the mode selected
 * @param memoryBytesWritten bytes written to the memory image; what was selected and is neither
 *     here nor among the holes was found to hold what the base does
 * @param memoryBytesHoles selected bytes that were zero and became holes
 * @param pauseNanos how long the guest stood still
 * @param totalNanos from the request until the snapshot was durable
 * @param phaseNanos the same by phase, in order
 * @param pausePhaseNanos those of the phases in which the guest stood still
 * @param precopyRounds how often pages were copied before the pause
 * @param precopyBytes what those rounds copied
 * @param replaced what became of the snapshot that it took the place of, or null
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
  /** What an older manifest does not tell is empty. */
  public CaptureReport {
    passedOver = passedOver == null ? List.of() : List.copyOf(passedOver);
    pausePhaseNanos = pausePhaseNanos == null ? Map.of() : pausePhaseNanos;
  }

  /**
   * A snapshot that was given up.
   *
   * @param snapshotId its id
   * @param inPlace whether its memory volume was written to, rather than one made
   * @param reason why
   */
  public record Replaced(String snapshotId, boolean inPlace, String reason) {}
}
