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
 * @param mode its permission bits
 * @param uid user id of its owner, as in guests
 * @param gid group id, as in guests
 * @param accessedAt when it was last read, as far as the host's file system records that
 * @param modifiedAt when its content was last changed
 * @param changedAt when its content or metadata was last changed
 */
public record VolumeEntry(
    String path,
    Type type,
    @Nullable String target,
    long sizeBytes,
    int mode,
    int uid,
    int gid,
    Instant accessedAt,
    Instant modifiedAt,
    Instant changedAt) {
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
