// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A template.
 *
 * @param id stable id
 * @param name its name
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
    Snapshot.Status status,
    @Nullable String statusDetail,
    boolean warm,
    int cpuCount,
    long memoryBytes,
    long diskBytes,
    long exclusiveBytes,
    Instant createdAt,
    @Nullable String contentKey,
    long buildNanos) {}
