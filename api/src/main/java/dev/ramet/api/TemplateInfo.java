// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A template. Times are RFC 3339 in UTC; sizes in MiB or bytes as named. Immutable and thread-safe
 * as far as its lists are.
 *
 * @param templateID stable id
 * @param aliases its name
 * @param names its name; two protocols name it differently
 * @param status {@code READY} or {@code BROKEN}
 * @param statusDetail why, for a broken one
 * @param warm whether sandboxes start from a memory image rather than boot
 * @param cpuCount virtual CPUs of its sandboxes
 * @param memoryMB guest memory of its sandboxes
 * @param diskSizeMB virtual size of the disk
 * @param exclusiveBytes what deleting it would free
 * @param createdAt when it was built
 * @param contentKey names the content it was built from, or null for an imported one
 * @param buildMs milliseconds the build took; 0 when it was there already
 */
public record TemplateInfo(
    String templateID,
    List<String> aliases,
    List<String> names,
    String status,
    @Nullable String statusDetail,
    boolean warm,
    int cpuCount,
    long memoryMB,
    long diskSizeMB,
    long exclusiveBytes,
    String createdAt,
    @Nullable String contentKey,
    double buildMs) {}
