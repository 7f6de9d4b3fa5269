// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A file or directory in a volume. Immutable.
 *
 * @param path absolute path in the volume
 * @param type what it is
 * @param target what a symbolic link says, else null
 * @param sizeBytes its length
 * @param mode its permission bits
 * @param uid its owner's number in guests
 * @param gid its group's number in guests
 * @param accessedAt when it was last read, as far as the host's file system keeps that
 * @param modifiedAt when its content was last changed
 * @param changedAt when anything of it was last changed
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
  /** What an entry is. */
  public enum Type {
    /** A regular file. */
    FILE,
    /** A directory. */
    DIRECTORY,
    /** A symbolic link. */
    SYMLINK,
    /** Nothing that guests can make. */
    UNKNOWN
  }
}
