// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.snapshots;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The current state of a snapshot.
 *
 * @param id stable id
 * @param name its name, which other snapshots may share, or null
 * @param tags the tags that identify it among snapshots of the same name, in order; empty for one
 *     that is reached only by its id or is not ready
 * @param description a sentence for people, or null
 * @param status whether it can be used
 * @param statusDetail why it cannot be used, or null
 * @param sandboxId the sandbox it was taken of
 * @param templateId id of the template or snapshot that this sandbox was created from
 * @param createdAt the instant it holds
 * @param cpuCount virtual CPUs
 * @param memoryBytes guest memory
 * @param diskBytes virtual size of the disk
 * @param exclusiveBytes bytes that deleting it would free
 * @param usedBy ids of sandboxes whose memory depends on it
 * @param workingSet the part of its memory image that is read ahead of a restore, or null while
 *     that is not known
 * @param capture how the capture went, or null while that is not known
 */
public record Snapshot(
    String id,
    @Nullable String name,
    List<String> tags,
    @Nullable String description,
    Status status,
    @Nullable String statusDetail,
    @Nullable String sandboxId,
    @Nullable String templateId,
    Instant createdAt,
    int cpuCount,
    long memoryBytes,
    long diskBytes,
    long exclusiveBytes,
    List<String> usedBy,
    @Nullable WorkingSet workingSet,
    @Nullable CaptureReport capture) {
  /** Copies the lists. */
  public Snapshot {
    tags = List.copyOf(tags);
    usedBy = List.copyOf(usedBy);
  }

  /**
   * The pages of a memory image that restored machines use early.
   *
   * @param recordedOf the snapshot at whose restore they were recorded: this one or an earlier one
   * @param pages the number of pages
   * @param bytes their size in bytes
   * @param whole whether the set is complete; false when there were more pages than are kept
   */
  public record WorkingSet(String recordedOf, long pages, long bytes, boolean whole) {}

  /** Whether a snapshot can be used. */
  public enum Status {
    /** Complete and durable. */
    READY,
    /** Captured, but its files are still being written. */
    WRITING,
    /** It could not be written and its data was removed; it stays listed until the host stops. */
    FAILED,
    /** Part of it is missing or damaged. */
    BROKEN
  }
}
