// SPDX-License-Identifier: Apache-2.0
package dev.ramet.agent.workspace;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One entry of a workspace, as the guest's agent reports it. Immutable, if the values are not
 * modified.
 *
 * @param path relative to the workspace
 * @param status its kind, owner, size and so on
 * @param content digest of a file's content, or null for other kinds
 * @param target of a symbolic link, or null
 * @param attributes digest of its extended attributes, or null if it has none
 * @param failure why the agent could not read it in full, or null
 * @param values its extended attributes; empty in lists
 */
public record Entry(
    GuestPath path,
    Status status,
    @Nullable String content,
    @Nullable GuestPath target,
    @Nullable String attributes,
    @Nullable String failure,
    Map<String, byte[]> values) {
  /** Copies the map. */
  public Entry {
    values = Map.copyOf(values);
  }

  /** The kinds of entries. */
  public enum Kind {
    /** A file with content. */
    FILE,
    /** A directory. */
    DIRECTORY,
    /** A symbolic link. */
    LINK,
    /** A named pipe. */
    PIPE,
    /** A socket, which cannot be written back. */
    SOCKET,
    /** A device, which cannot be written back. */
    DEVICE,
    /** A directory on which a file system is mounted that does not belong to the workspace. */
    MOUNT
  }

  /**
   * Everything about an entry that has a fixed size.
   *
   * @param mode permissions, 0 to 07777
   * @param user number of the owner
   * @param group number of the group
   * @param sizeBytes size of a file; 0 for other kinds
   * @param modifiedNanos when it was last modified, in nanoseconds since 1970
   */
  public record Status(
      Kind kind, int mode, long user, long group, long sizeBytes, long modifiedNanos) {}
}
