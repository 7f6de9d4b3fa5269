// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.snapshots;

import dev.ramet.engine.Shape;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The current state of a snapshot.
 *
 * @param id stable id
 * @param label its name, tags and description
 * @param condition whether it can be used
 * @param origin the sandbox it was taken of
 * @param createdAt the instant it holds
 * @param shape the size of the machine
 * @param usage the space and sandboxes that depend on it
 * @param memory its memory image
 */
public record Snapshot(
    String id,
    Label label,
    Condition condition,
    Origin origin,
    Instant createdAt,
    Shape shape,
    Usage usage,
    Memory memory) {
  /**
   * The name of a snapshot, which other versions may share, with its tags and description.
   *
   * @param name the name a person gave it, or null
   * @param tags the tags that identify it among snapshots of the same name, in order; empty for one
   *     that is reached only by its id
   * @param description a sentence for people, or null
   */
  public record Label(@Nullable String name, List<String> tags, @Nullable String description) {
    /** Copies the list. */
    public Label {
      tags = List.copyOf(tags);
    }
  }

  /**
   * Whether a snapshot or template can be used.
   *
   * @param status the status
   * @param detail why it failed or is broken, or null
   */
  public record Condition(Status status, @Nullable String detail) {}

  /**
   * The sandbox that a snapshot was taken of.
   *
   * @param sandboxId the sandbox, or null
   * @param templateId id of the template or snapshot that sandbox was created from, or null
   */
  public record Origin(@Nullable String sandboxId, @Nullable String templateId) {}

  /**
   * The space that a snapshot takes, and the sandboxes that use it.
   *
   * @param exclusiveBytes bytes that deleting it would free
   * @param usedBy ids of sandboxes whose memory is based on it
   */
  public record Usage(long exclusiveBytes, List<String> usedBy) {
    /** Copies the list. */
    public Usage {
      usedBy = List.copyOf(usedBy);
    }
  }

  /**
   * The memory image of a snapshot.
   *
   * @param workingSet the pages of it that restored machines use early, or null while unknown
   * @param capture how it was captured, or null
   */
  public record Memory(@Nullable WorkingSet workingSet, @Nullable CaptureReport capture) {}

  /** Returns this part of {@link #label}. */
  public @Nullable String name() {
    return label.name();
  }

  /** Returns this part of {@link #label}. */
  public List<String> tags() {
    return label.tags();
  }

  /** Returns this part of {@link #label}. */
  public @Nullable String description() {
    return label.description();
  }

  /** Returns this part of {@link #condition}. */
  public Status status() {
    return condition.status();
  }

  /** Returns this part of {@link #condition}. */
  public @Nullable String statusDetail() {
    return condition.detail();
  }

  /** Returns this part of {@link #origin}. */
  public @Nullable String sandboxId() {
    return origin.sandboxId();
  }

  /** Returns this part of {@link #origin}. */
  public @Nullable String templateId() {
    return origin.templateId();
  }

  /** Returns this part of {@link #shape}. */
  public int cpuCount() {
    return shape.cpuCount();
  }

  /** Returns this part of {@link #shape}. */
  public long memoryBytes() {
    return shape.memoryBytes();
  }

  /** Returns this part of {@link #shape}. */
  public long diskBytes() {
    return shape.diskBytes();
  }

  /** Returns this part of {@link #usage}. */
  public long exclusiveBytes() {
    return usage.exclusiveBytes();
  }

  /** Returns this part of {@link #usage}. */
  public List<String> usedBy() {
    return usage.usedBy();
  }

  /** Returns this part of {@link #memory}. */
  public @Nullable WorkingSet workingSet() {
    return memory.workingSet();
  }

  /** Returns this part of {@link #memory}. */
  public @Nullable CaptureReport capture() {
    return memory.capture();
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
