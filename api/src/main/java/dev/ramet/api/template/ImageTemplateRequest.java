// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.template;

import org.jspecify.annotations.Nullable;

/**
 * The body of {@code POST /templates/image}. Immutable and thread-safe.
 *
 * @param name the template's name, {@code [A-Za-z0-9._-]{1,64}}, optionally followed by a colon and
 *     a tag of the same form; required
 * @param image a container image: an OCI layout as a directory or tar archive, or the output of
 *     {@code docker save}; an absolute path on the host, in one of its {@code
 *     ramet.exchange-directories} if those are set; required
 * @param platform the platform to use of several, {@code linux/amd64} or {@code linux/386}; null
 *     for the first
 * @param tag the image to use of several, by its name or its tag; null where there is only one
 * @param start a shell command to start in place of the image's own; null for the image's own
 * @param noStart whether to start nothing; null for false
 * @param ready a shell command that succeeds once the started program is ready; it is retried until
 *     it does; null to wait for three seconds
 * @param cpuCount virtual CPUs, 1 to 32; null for 1
 * @param memoryMB guest memory in MiB, at least 64 and no more than the host has; null for 512
 * @param diskSizeMB virtual size of the disk in MiB; null for 2048
 */
public record ImageTemplateRequest(
    @Nullable String name,
    @Nullable String image,
    @Nullable String platform,
    @Nullable String tag,
    @Nullable String start,
    @Nullable Boolean noStart,
    @Nullable String ready,
    @Nullable Integer cpuCount,
    @Nullable Integer memoryMB,
    @Nullable Integer diskSizeMB) {
  /** Returns an empty builder. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Takes the components by name. Numbers, collections and components that may be null need not be
   * set; {@link #build} fails without any of the others.
   */
  public static final class Builder {
    private @Nullable String name;
    private @Nullable String image;
    private @Nullable String platform;
    private @Nullable String tag;
    private @Nullable String start;
    private @Nullable Boolean noStart;
    private @Nullable String ready;
    private @Nullable Integer cpuCount;
    private @Nullable Integer memoryMB;
    private @Nullable Integer diskSizeMB;

    private Builder() {}

    public Builder name(@Nullable String value) {
      name = value;
      return this;
    }

    public Builder image(@Nullable String value) {
      image = value;
      return this;
    }

    public Builder platform(@Nullable String value) {
      platform = value;
      return this;
    }

    public Builder tag(@Nullable String value) {
      tag = value;
      return this;
    }

    public Builder start(@Nullable String value) {
      start = value;
      return this;
    }

    public Builder noStart(@Nullable Boolean value) {
      noStart = value;
      return this;
    }

    public Builder ready(@Nullable String value) {
      ready = value;
      return this;
    }

    public Builder cpuCount(@Nullable Integer value) {
      cpuCount = value;
      return this;
    }

    public Builder memoryMB(@Nullable Integer value) {
      memoryMB = value;
      return this;
    }

    public Builder diskSizeMB(@Nullable Integer value) {
      diskSizeMB = value;
      return this;
    }

    /** Returns a record of the components. */
    public ImageTemplateRequest build() {
      return new ImageTemplateRequest(
          name, image, platform, tag, start, noStart, ready, cpuCount, memoryMB, diskSizeMB);
    }
  }
}
