// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.snapshot;

import java.util.List;
import java.util.Map;
import java.util.Objects;
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

  /** Returns an empty builder. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Takes the components by name. Numbers, collections and components that may be null need not be
   * set; {@link #build} fails without any of the others.
   */
  public static final class Builder {
    private @Nullable String mode;
    private @Nullable String modeReason;
    private List<PassedOver> passedOver = List.of();
    private long memoryBytesTotal;
    private long memoryBytesSelected;
    private long memoryBytesWritten;
    private long memoryBytesHoles;
    private double pauseMs;
    private double totalMs;
    private Map<String, Double> phasesMs = Map.of();
    private Map<String, Double> pausePhasesMs = Map.of();
    private int precopyRounds;
    private long precopyBytes;
    private @Nullable Replaced replaced;

    private Builder() {}

    public Builder mode(String value) {
      mode = value;
      return this;
    }

    public Builder modeReason(String value) {
      modeReason = value;
      return this;
    }

    public Builder passedOver(List<PassedOver> value) {
      passedOver = value;
      return this;
    }

    public Builder memoryBytesTotal(long value) {
      memoryBytesTotal = value;
      return this;
    }

    public Builder memoryBytesSelected(long value) {
      memoryBytesSelected = value;
      return this;
    }

    public Builder memoryBytesWritten(long value) {
      memoryBytesWritten = value;
      return this;
    }

    public Builder memoryBytesHoles(long value) {
      memoryBytesHoles = value;
      return this;
    }

    public Builder pauseMs(double value) {
      pauseMs = value;
      return this;
    }

    public Builder totalMs(double value) {
      totalMs = value;
      return this;
    }

    public Builder phasesMs(Map<String, Double> value) {
      phasesMs = value;
      return this;
    }

    public Builder pausePhasesMs(Map<String, Double> value) {
      pausePhasesMs = value;
      return this;
    }

    public Builder precopyRounds(int value) {
      precopyRounds = value;
      return this;
    }

    public Builder precopyBytes(long value) {
      precopyBytes = value;
      return this;
    }

    public Builder replaced(@Nullable Replaced value) {
      replaced = value;
      return this;
    }

    /** Returns a record of the components. */
    public CaptureInfo build() {
      return new CaptureInfo(
          Objects.requireNonNull(mode, "mode"),
          Objects.requireNonNull(modeReason, "modeReason"),
          passedOver,
          memoryBytesTotal,
          memoryBytesSelected,
          memoryBytesWritten,
          memoryBytesHoles,
          pauseMs,
          totalMs,
          phasesMs,
          pausePhasesMs,
          precopyRounds,
          precopyBytes,
          replaced);
    }
  }
}
