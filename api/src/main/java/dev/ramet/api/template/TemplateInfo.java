// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.template;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A template. Times are RFC 3339 in UTC; sizes in MiB or bytes as named. Immutable and thread-safe
 * if its lists are.
 *
 * @param templateID stable id
 * @param aliases its name, which other versions share
 * @param names the same name, in the field that another protocol uses
 * @param status {@code READY} or {@code BROKEN}
 * @param statusDetail why it is broken, or null
 * @param warm whether sandboxes start from a memory image rather than boot
 * @param cpuCount virtual CPUs of its sandboxes
 * @param memoryMB guest memory of its sandboxes
 * @param diskSizeMB virtual size of the disk
 * @param exclusiveBytes space that deleting it would free
 * @param createdAt when it was built
 * @param contentKey key of the content it was built from, or null for an imported template
 * @param buildMs duration of the build in milliseconds; 0 when the template existed already
 * @param tags its tags, sorted, which distinguish it from other versions of its name; empty if it
 *     is reachable only by its id, and from hosts older than tags
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
  /** Accepts null tags, because older hosts do not send them. */
  public TemplateInfo {
    tags = tags == null ? List.of() : tags;
  }

  /** Creates a template without tags. */
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
