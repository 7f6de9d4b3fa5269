// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot.
 *
 * @param id stable id
 * @param name its name, which others may have too, or null
 * @param tags what tells it from those, in order; none for one that is reached by its id alone, and
 *     for one that is not ready
 * @param description a sentence for people, or null
 * @param status whether it can be used
 * @param statusDetail why not, for a broken or failed one
 * @param sandboxId the sandbox it was taken of
 * @param templateId what that sandbox was created from
 * @param createdAt the instant it holds
 * @param cpuCount virtual CPUs
 * @param memoryBytes guest memory
 * @param diskBytes virtual size of the disk
 * @param exclusiveBytes what deleting it would free
 * @param usedBy ids of sandboxes whose memory rests on it
 * @param workingSet what of its memory image is read ahead of a restore, or null while that is not
 *     known
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
   * The pages of a memory image that machines use at once.
   *
   * @param recordedOf the snapshot whose restore they were found at: this one, or one before it
   * @param pages how many
   * @param bytes the same in bytes
   * @param whole whether these are all; false when there were more than are kept
   */
  public record WorkingSet(String recordedOf, long pages, long bytes, boolean whole) {}

  /** Whether a snapshot can be used. */
  public enum Status {
    /** Complete and durable. */
    READY,
    /** Its instant is taken; its files are still being written. */
    WRITING,
    /** It could not be written, and nothing of it is left; told until the host stops. */
    FAILED,
    /** Something of it is gone or damaged. */
    BROKEN
  }
}
