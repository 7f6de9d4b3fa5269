// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.volume;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A file or directory in a volume. Times are RFC 3339 in UTC. Immutable and thread-safe.
 *
 * @param name the last part of its path
 * @param path absolute path in the volume
 * @param type {@code file}, {@code directory}, {@code symlink} or {@code unknown}
 * @param size its length in bytes
 * @param mode its permission bits
 * @param uid user id of its owner in guests
 * @param gid id of its group in guests
 * @param atime time of the last read, as far as the host's file system records it
 * @param mtime time of the last change of its content
 * @param ctime time of the last change of its content or attributes
 * @param target target of a symbolic link, otherwise null
 */
public record VolumeEntryInfo(
    String name,
    String path,
    String type,
    long size,
    int mode,
    int uid,
    int gid,
    String atime,
    String mtime,
    String ctime,
    @Nullable String target) {
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
    private @Nullable String path;
    private @Nullable String type;
    private long size;
    private int mode;
    private int uid;
    private int gid;
    private @Nullable String atime;
    private @Nullable String mtime;
    private @Nullable String ctime;
    private @Nullable String target;

    private Builder() {}

    public Builder name(String value) {
      name = value;
      return this;
    }

    public Builder path(String value) {
      path = value;
      return this;
    }

    public Builder type(String value) {
      type = value;
      return this;
    }

    public Builder size(long value) {
      size = value;
      return this;
    }

    public Builder mode(int value) {
      mode = value;
      return this;
    }

    public Builder uid(int value) {
      uid = value;
      return this;
    }

    public Builder gid(int value) {
      gid = value;
      return this;
    }

    public Builder atime(String value) {
      atime = value;
      return this;
    }

    public Builder mtime(String value) {
      mtime = value;
      return this;
    }

    public Builder ctime(String value) {
      ctime = value;
      return this;
    }

    public Builder target(@Nullable String value) {
      target = value;
      return this;
    }

    /** Returns a record of the components. */
    public VolumeEntryInfo build() {
      return new VolumeEntryInfo(
          Objects.requireNonNull(name, "name"),
          Objects.requireNonNull(path, "path"),
          Objects.requireNonNull(type, "type"),
          size,
          mode,
          uid,
          gid,
          Objects.requireNonNull(atime, "atime"),
          Objects.requireNonNull(mtime, "mtime"),
          Objects.requireNonNull(ctime, "ctime"),
          target);
    }
  }
}
