// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.snapshots;

import java.util.List;
import java.util.Map;
import java.util.Objects;
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
    private List<ModeRefusal> passedOver = List.of();
    private long memoryBytesTotal;
    private long memoryBytesSelected;
    private long memoryBytesWritten;
    private long memoryBytesHoles;
    private long pauseNanos;
    private long totalNanos;
    private Map<String, Long> phaseNanos = Map.of();
    private Map<String, Long> pausePhaseNanos = Map.of();
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

    public Builder passedOver(List<ModeRefusal> value) {
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

    public Builder pauseNanos(long value) {
      pauseNanos = value;
      return this;
    }

    public Builder totalNanos(long value) {
      totalNanos = value;
      return this;
    }

    public Builder phaseNanos(Map<String, Long> value) {
      phaseNanos = value;
      return this;
    }

    public Builder pausePhaseNanos(Map<String, Long> value) {
      pausePhaseNanos = value;
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
    public CaptureReport build() {
      return new CaptureReport(
          Objects.requireNonNull(mode, "mode"),
          Objects.requireNonNull(modeReason, "modeReason"),
          passedOver,
          memoryBytesTotal,
          memoryBytesSelected,
          memoryBytesWritten,
          memoryBytesHoles,
          pauseNanos,
          totalNanos,
          phaseNanos,
          pausePhaseNanos,
          precopyRounds,
          precopyBytes,
          replaced);
    }
  }
}
