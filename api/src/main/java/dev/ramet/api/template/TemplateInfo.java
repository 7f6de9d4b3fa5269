// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.template;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A template. Times are RFC 3339 in UTC; sizes in MiB or bytes as named. Immutable and thread-safe
 * as far as its lists are.
 *
 * @param templateID stable id
 * @param aliases its name, which others may have too, as versions of it
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
 * @param tags what tells this version from the others of its name, in order; none for one that is
 *     reached by its id alone, and from a host of before there were tags
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
    double buildMs,
    List<String> tags) {
  /** An older host tells no tags. */
  public TemplateInfo {
    tags = tags == null ? List.of() : tags;
  }

  /** One without tags. */
  public TemplateInfo(
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
      double buildMs) {
    this(
        templateID,
        aliases,
        names,
        status,
        statusDetail,
        warm,
        cpuCount,
        memoryMB,
        diskSizeMB,
        exclusiveBytes,
        createdAt,
        contentKey,
        buildMs,
        List.of());
  }
}
