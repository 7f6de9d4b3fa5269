// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.templates;

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
 * @param status whether it can be used
 * @param statusDetail why it is broken, or null
 * @param warm whether sandboxes start from a memory image instead of booting
 * @param cpuCount virtual CPUs of its sandboxes
 * @param memoryBytes guest memory of its sandboxes
 * @param diskBytes virtual size of the disk
 * @param exclusiveBytes bytes that deleting it would free
 * @param createdAt when it was built
 * @param contentKey identifies the content it was built from; null for an imported template
 * @param buildNanos how long the build took; 0 when the template existed already
 */
public record Template(
    String id,
    String name,
    List<String> tags,
    Snapshot.Status status,
    @Nullable String statusDetail,
    boolean warm,
    int cpuCount,
    long memoryBytes,
    long diskBytes,
    long exclusiveBytes,
    Instant createdAt,
    @Nullable String contentKey,
    long buildNanos) {
  /** Copies the list. */
  public Template {
    tags = List.copyOf(tags);
  }
}
