// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A template.
 *
 * @param id stable id
 * @param name its name, which others may have too
 * @param tags what tells it from those, in order; none for one that is reached by its id alone
 * @param status whether it can be used
 * @param statusDetail why not, for a broken one
 * @param warm whether sandboxes start from a memory image rather than boot
 * @param cpuCount virtual CPUs of its sandboxes
 * @param memoryBytes guest memory of its sandboxes
 * @param diskBytes virtual size of the disk
 * @param exclusiveBytes what deleting it would free
 * @param createdAt when it was built
 * @param contentKey names the content it was built from, or null for an imported one
 * @param buildNanos how long the build took; 0 when it was there already
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
