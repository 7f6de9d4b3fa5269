// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.templates;

import dev.ramet.engine.Shape;
import dev.ramet.engine.snapshots.Snapshot;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The current state of a template.
 *
 * @param id stable id
 * @param name its name, which other templates may share
 * @param tags the tags that identify it among templates of the same name, in order; empty for one
 *     that is reached only by its id
 * @param condition whether it can be used
 * @param warm whether sandboxes start from a memory image instead of booting
 * @param shape the size of its sandboxes
 * @param exclusiveBytes bytes that deleting it would free
 * @param build how it was built
 */
public record Template(
    String id,
    String name,
    List<String> tags,
    Snapshot.Condition condition,
    boolean warm,
    Shape shape,
    long exclusiveBytes,
    Build build) {
  /**
   * The build of a template.
   *
   * @param createdAt when it was built
   * @param contentKey identifies the content it was built from; null for an imported template
   * @param nanos how long the build took; 0 when the template existed already
   */
  public record Build(Instant createdAt, @Nullable String contentKey, long nanos) {}

  /** Returns this part of {@link #condition}. */
  public Snapshot.Status status() {
    return condition.status();
  }

  /** Returns this part of {@link #condition}. */
  public @Nullable String statusDetail() {
    return condition.detail();
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

  /** Returns this part of {@link #build}. */
  public Instant createdAt() {
    return build.createdAt();
  }

  /** Returns this part of {@link #build}. */
  public @Nullable String contentKey() {
    return build.contentKey();
  }

  /** Returns this part of {@link #build}. */
  public long buildNanos() {
    return build.nanos();
  }

  /** Copies the list. */
  public Template {
    tags = List.copyOf(tags);
  }
}
