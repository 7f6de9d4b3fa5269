// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.snapshot;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Statistics of a capture. Sizes are in bytes, times in milliseconds. Immutable and thread-safe if
 * its maps and lists are.
 *
 * @param mode the memory mode that selected the pages
 * @param modeReason why that mode was used
 * @param passedOver the better modes that could not be used, best first; the last may be the mode
 *     itself when it could not continue from the previous capture
 * @param memoryBytesTotal size of the guest's memory
 * @param memoryBytesSelected size of the pages that the mode selected
 * @param memoryBytesWritten bytes written to the memory image; selected bytes counted neither here
 *     nor as holes turned out equal to the base
 * @param memoryBytesHoles selected bytes that were zero and became holes
 * @param pauseMs how long the guest was paused
 * @param totalMs from the request until the snapshot was durable
 * @param phasesMs duration of each phase, in order
 * @param pausePhasesMs duration of each phase during which the guest was paused
 * @param precopyRounds number of pre-copy rounds
 * @param precopyBytes bytes copied by those rounds
 * @param replaced the snapshot that this one replaced, or null
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
   * A snapshot that was deleted in favour of the new one.
   *
   * @param snapshotID its id
   * @param memoryVolume {@code in-place} when its memory volume was updated, {@code rebuild} when a
   *     new one was created
   * @param reason why
   */
  public record Replaced(String snapshotID, String memoryVolume, String reason) {}

  /**
   * A better memory mode that could not be used, or could not continue from the previous capture.
   *
   * @param mode its id
   * @param cause {@code unusable-here}, {@code booted}, {@code refused}, {@code base-gone}, {@code
   *     tracking-lost}, {@code host-restarted}, {@code capture-failed} or {@code other-mode}
   * @param detail the cause in words for people
   */
  public record PassedOver(String mode, String cause, String detail) {}
}
