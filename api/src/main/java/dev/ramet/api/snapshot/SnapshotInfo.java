// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.snapshot;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot. Times are RFC 3339 in UTC; sizes in MiB or bytes as named. Immutable and thread-safe
 * as far as its lists are.
 *
 * @param snapshotID stable id
 * @param names its name, which others may have too, as versions of it; or none
 * @param description a sentence for people, or null
 * @param status {@code READY}; {@code WRITING} when its instant is taken and it is not durable yet;
 *     {@code FAILED} when that came to nothing; {@code BROKEN}
 * @param statusDetail why, for a failed or broken one
 * @param originSandboxID the sandbox it was taken of, or null
 * @param sourceSandboxID the same; two protocols name it differently
 * @param templateID what that sandbox was created from, or null
 * @param createdAt the instant it holds
 * @param updatedAt the same: a snapshot never changes
 * @param cpuCount virtual CPUs
 * @param memoryMB guest memory
 * @param diskSizeMB virtual size of the disk
 * @param exclusiveBytes what deleting it would free
 * @param usedBy ids of sandboxes whose memory rests on it
 * @param workingSet what of its memory image is read into the page cache ahead of a restore, or
 *     null while that is not known
 * @param capture how the capture went, or null when that is not known
 * @param tags what tells this version from the others of its name, in order; none for one that is
 *     reached by its id alone, for one that is not ready, and from a host of before there were tags
 */
public record SnapshotInfo(
    String snapshotID,
    List<String> names,
    @Nullable String description,
    String status,
    @Nullable String statusDetail,
    @Nullable String originSandboxID,
    @Nullable String sourceSandboxID,
    @Nullable String templateID,
    String createdAt,
    String updatedAt,
    int cpuCount,
    long memoryMB,
    long diskSizeMB,
    long exclusiveBytes,
    List<String> usedBy,
    @Nullable WorkingSet workingSet,
    @Nullable CaptureInfo capture,
    List<String> tags) {
  /** An older host tells no tags. */
  public SnapshotInfo {
    tags = tags == null ? List.of() : tags;
  }

  /** One without tags. */
  public SnapshotInfo(
      String snapshotID,
      List<String> names,
      @Nullable String description,
      String status,
      @Nullable String statusDetail,
      @Nullable String originSandboxID,
      @Nullable String sourceSandboxID,
      @Nullable String templateID,
      String createdAt,
      String updatedAt,
      int cpuCount,
      long memoryMB,
      long diskSizeMB,
      long exclusiveBytes,
      List<String> usedBy,
      @Nullable WorkingSet workingSet,
      @Nullable CaptureInfo capture) {
    this(
        snapshotID,
        names,
        description,
        status,
        statusDetail,
        originSandboxID,
        sourceSandboxID,
        templateID,
        createdAt,
        updatedAt,
        cpuCount,
        memoryMB,
        diskSizeMB,
        exclusiveBytes,
        usedBy,
        workingSet,
        capture,
        List.of());
  }

  /**
   * The pages that machines use at once.
   *
   * @param recordedOf the snapshot or template whose restore they were found at: this one, or one
   *     before it
   * @param pages how many
   * @param bytes the same in bytes
   * @param whole whether these are all; false when there were more than are kept
   */
  public record WorkingSet(String recordedOf, long pages, long bytes, boolean whole) {}
}
