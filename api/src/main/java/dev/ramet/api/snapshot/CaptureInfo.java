// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.snapshot;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How a capture went. Sizes are in bytes, times in milliseconds. Immutable and thread-safe as far
 * as its maps and lists are.
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
 * @param pauseMs how long the guest stood still
 * @param totalMs from the request until the snapshot was durable
 * @param phasesMs the same by phase, in order
 * @param pausePhasesMs those of the phases in which the guest stood still
 * @param precopyRounds how often pages were copied before the pause
 * @param precopyBytes what those rounds copied
 * @param replaced what became of the snapshot that it took the place of, or null
 */
public record CaptureInfo(
    String mode,
    String modeReason,
    List<PassedOver> passedOver,
    long memoryBytesTotal,
    long memoryBytesSelected,
    long memoryBytesWritten,
    long memoryBytesHoles,
    double pauseMs,
    double totalMs,
    Map<String, Double> phasesMs,
    Map<String, Double> pausePhasesMs,
    int precopyRounds,
    long precopyBytes,
    @Nullable Replaced replaced) {
  /**
   * A snapshot that was given up.
   *
   * @param snapshotID its id
   * @param memoryVolume {@code in-place} when its memory volume was written to, {@code rebuild}
   *     when one was made
   * @param reason why
   */
  public record Replaced(String snapshotID, String memoryVolume, String reason) {}

  /**
   * A better memory mode that could not do it, or the same without the previous capture.
   *
   * @param mode its id
   * @param cause {@code unusable-here}, {@code booted}, {@code refused}, {@code base-gone}, {@code
   *     tracking-lost}, {@code host-restarted}, {@code capture-failed} or {@code other-mode}
   * @param detail the same for people
   */
  public record PassedOver(String mode, String cause, String detail) {}
}
