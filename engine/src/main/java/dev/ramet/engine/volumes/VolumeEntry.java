// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.volumes;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A file or directory in a volume. Immutable.
 *
 * @param path absolute path in the volume
 * @param type the type of the entry
 * @param target the target of a symbolic link, else null
 * @param sizeBytes its length
 * @param permissions its owner and permission bits
 * @param times when it was read and changed
 */
public record VolumeEntry(
    String path,
    Type type,
    @Nullable String target,
    long sizeBytes,
    Permissions permissions,
    Times times) {
  /**
   * The owner and permission bits of an entry.
   *
   * @param mode its permission bits
   * @param uid user id of its owner, as in guests
   * @param gid group id, as in guests
   */
  public record Permissions(int mode, int uid, int gid) {}

  /**
   * When an entry was read and changed.
   *
   * @param accessedAt when it was last read, as far as the host's file system records that
   * @param modifiedAt when its content was last changed
   * @param changedAt when its content or metadata was last changed
   */
  public record Times(Instant accessedAt, Instant modifiedAt, Instant changedAt) {}

  /** Returns this part of {@link #permissions}. */
  public int mode() {
    return permissions.mode();
  }

  /** Returns this part of {@link #permissions}. */
  public int uid() {
    return permissions.uid();
  }

  /** Returns this part of {@link #permissions}. */
  public int gid() {
    return permissions.gid();
  }

  /** Returns this part of {@link #times}. */
  public Instant accessedAt() {
    return times.accessedAt();
  }

  /** Returns this part of {@link #times}. */
  public Instant modifiedAt() {
    return times.modifiedAt();
  }

  /** Returns this part of {@link #times}. */
  public Instant changedAt() {
    return times.changedAt();
  }

  /** The type of an entry. */
  public enum Type {
    /** A regular file. */
    FILE,
    /** A directory. */
    DIRECTORY,
    /** A symbolic link. */
    SYMLINK,
    /** A type that guests cannot create. */
    UNKNOWN
  }
}
