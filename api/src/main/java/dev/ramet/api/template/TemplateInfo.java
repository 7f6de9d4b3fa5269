// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.template;

import java.util.List;
import java.util.Objects;
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

  /** Returns an empty builder. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Takes the components by name. Numbers, collections and components that may be null need not be
   * set; {@link #build} fails without any of the others.
   */
  public static final class Builder {
    private @Nullable String templateID;
    private List<String> aliases = List.of();
    private List<String> names = List.of();
    private @Nullable String status;
    private @Nullable String statusDetail;
    private boolean warm;
    private int cpuCount;
    private long memoryMB;
    private long diskSizeMB;
    private long exclusiveBytes;
    private @Nullable String createdAt;
    private @Nullable String contentKey;
    private double buildMs;
    private List<String> tags = List.of();

    private Builder() {}

    public Builder templateID(String value) {
      templateID = value;
      return this;
    }

    public Builder aliases(List<String> value) {
      aliases = value;
      return this;
    }

    public Builder names(List<String> value) {
      names = value;
      return this;
    }

    public Builder status(String value) {
      status = value;
      return this;
    }

    public Builder statusDetail(@Nullable String value) {
      statusDetail = value;
      return this;
    }

    public Builder warm(boolean value) {
      warm = value;
      return this;
    }

    public Builder cpuCount(int value) {
      cpuCount = value;
      return this;
    }

    public Builder memoryMB(long value) {
      memoryMB = value;
      return this;
    }

    public Builder diskSizeMB(long value) {
      diskSizeMB = value;
      return this;
    }

    public Builder exclusiveBytes(long value) {
      exclusiveBytes = value;
      return this;
    }

    public Builder createdAt(String value) {
      createdAt = value;
      return this;
    }

    public Builder contentKey(@Nullable String value) {
      contentKey = value;
      return this;
    }

    public Builder buildMs(double value) {
      buildMs = value;
      return this;
    }

    public Builder tags(List<String> value) {
      tags = value;
      return this;
    }

    /** Returns a record of the components. */
    public TemplateInfo build() {
      return new TemplateInfo(
          Objects.requireNonNull(templateID, "templateID"),
          aliases,
          names,
          Objects.requireNonNull(status, "status"),
          statusDetail,
          warm,
          cpuCount,
          memoryMB,
          diskSizeMB,
          exclusiveBytes,
          Objects.requireNonNull(createdAt, "createdAt"),
          contentKey,
          buildMs,
          tags);
    }
  }
}
