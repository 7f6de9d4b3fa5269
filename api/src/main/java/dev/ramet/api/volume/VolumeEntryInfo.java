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
 * @param uid its owner's number in guests
 * @param gid its group's number in guests
 * @param atime when it was last read, as far as the host's file system keeps that
 * @param mtime when its content was last changed
 * @param ctime when anything of it was last changed
 * @param target what a symbolic link says, else null
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
