// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.snapshot;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot. Times are RFC 3339 in UTC; sizes in MiB or bytes as named. Immutable and thread-safe
 * if its lists are.
 *
 * @param snapshotID stable id
 * @param names its name, which other versions share; or empty
 * @param description a sentence for people, or null
 * @param status {@code READY}; {@code WRITING} when its instant is captured but not yet durable;
 *     {@code FAILED} when writing it failed; {@code BROKEN}
 * @param statusDetail why it failed or is broken, or null
 * @param originSandboxID the sandbox it was taken of, or null
 * @param sourceSandboxID the same sandbox, under the name that another protocol uses
 * @param templateID id of the template or snapshot that sandbox was created from, or null
 * @param createdAt the instant it captured
 * @param updatedAt the same instant: a snapshot never changes
 * @param cpuCount virtual CPUs
 * @param memoryMB guest memory
 * @param diskSizeMB virtual size of the disk
 * @param exclusiveBytes space that deleting it would free
 * @param usedBy ids of sandboxes whose memory is based on it
 * @param workingSet the pages of its memory image that are read into the page cache before a
 *     restore, or null while they are unknown
 * @param capture statistics of the capture, or null when unknown
 * @param tags its tags, sorted, which distinguish it from other versions of its name; empty if it
 *     is reachable only by its id or is not ready, and from hosts older than tags
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
  /** Accepts null tags, because older hosts do not send them. */
  public SnapshotInfo {
    tags = tags == null ? List.of() : tags;
  }

  /**
   * The working set: the pages that a machine uses first after a restore.
   *
   * @param recordedOf the snapshot or template whose restore recorded them: this one or an ancestor
   * @param pages number of pages
   * @param bytes their size in bytes
   * @param whole false when there were more pages than the host keeps
   */
  public record WorkingSet(String recordedOf, long pages, long bytes, boolean whole) {}

  /** Returns an empty builder. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Takes the components by name. Numbers, collections and components that may be null need not be
   * set; {@link #build} fails without any of the others.
   */
  public static final class Builder {
    private @Nullable String snapshotID;
    private List<String> names = List.of();
    private @Nullable String description;
    private @Nullable String status;
    private @Nullable String statusDetail;
    private @Nullable String originSandboxID;
    private @Nullable String sourceSandboxID;
    private @Nullable String templateID;
    private @Nullable String createdAt;
    private @Nullable String updatedAt;
    private int cpuCount;
    private long memoryMB;
    private long diskSizeMB;
    private long exclusiveBytes;
    private List<String> usedBy = List.of();
    private @Nullable WorkingSet workingSet;
    private @Nullable CaptureInfo capture;
    private List<String> tags = List.of();

    private Builder() {}

    public Builder snapshotID(String value) {
      snapshotID = value;
      return this;
    }

    public Builder names(List<String> value) {
      names = value;
      return this;
    }

    public Builder description(@Nullable String value) {
      description = value;
      return this;
    }

    public Builder status(String value) {
      status = value;
      return this;
    }

    public Builder statusDetail(@Nullable String value) {
      statusDetail = value;
      return this;
    }

    public Builder originSandboxID(@Nullable String value) {
      originSandboxID = value;
      return this;
    }

    public Builder sourceSandboxID(@Nullable String value) {
      sourceSandboxID = value;
      return this;
    }

    public Builder templateID(@Nullable String value) {
      templateID = value;
      return this;
    }

    public Builder createdAt(String value) {
      createdAt = value;
      return this;
    }

    public Builder updatedAt(String value) {
      updatedAt = value;
      return this;
    }

    public Builder cpuCount(int value) {
      cpuCount = value;
      return this;
    }

    public Builder memoryMB(long value) {
      memoryMB = value;
      return this;
    }

    public Builder diskSizeMB(long value) {
      diskSizeMB = value;
      return this;
    }

    public Builder exclusiveBytes(long value) {
      exclusiveBytes = value;
      return this;
    }

    public Builder usedBy(List<String> value) {
      usedBy = value;
      return this;
    }

    public Builder workingSet(@Nullable WorkingSet value) {
      workingSet = value;
      return this;
    }

    public Builder capture(@Nullable CaptureInfo value) {
      capture = value;
      return this;
    }

    public Builder tags(List<String> value) {
      tags = value;
      return this;
    }

    /** Returns a record of the components. */
    public SnapshotInfo build() {
      return new SnapshotInfo(
          Objects.requireNonNull(snapshotID, "snapshotID"),
          names,
          description,
          Objects.requireNonNull(status, "status"),
          statusDetail,
          originSandboxID,
          sourceSandboxID,
          templateID,
          Objects.requireNonNull(createdAt, "createdAt"),
          Objects.requireNonNull(updatedAt, "updatedAt"),
          cpuCount,
          memoryMB,
          diskSizeMB,
          exclusiveBytes,
          usedBy,
          workingSet,
          capture,
          tags);
    }
  }
}
