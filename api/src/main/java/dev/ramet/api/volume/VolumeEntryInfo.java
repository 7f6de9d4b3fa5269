// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.volume;

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
    @Nullable String target) {}
