// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.volumes;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Access to the files of a volume from outside sandboxes. Paths are absolute within the volume, and
 * symbolic links are not followed, because their targets are meant for guests.
 *
 * <p>Thread-safe; guests may change the files at the same time. Every call throws {@code NOT_FOUND}
 * for a path that does not exist and {@code INVALID_ARGUMENT} for an invalid path.
 */
public interface VolumeContent {
  /**
   * Attributes for a new or existing file or directory.
   *
   * @param uid owner; null means root for a new file, and no change for an existing one
   * @param gid group; null as for the owner
   * @param mode permission bits; null means the defaults for a new file, and no change for an
   *     existing one
   */
  record Attributes(@Nullable Integer uid, @Nullable Integer gid, @Nullable Integer mode) {}

  /** An open file: its attributes when it was opened, and its content. */
  record Opened(VolumeEntry entry, InputStream content) {}

  /** Returns the entry at a path. */
  VolumeEntry stat(String path);

  /**
   * Lists a directory tree, each directory before its content.
   *
   * @param depth the number of levels, 1 or more
   */
  List<VolumeEntry> list(String path, int depth);

  /**
   * Creates a directory.
   *
   * @param force whether to create missing parents and accept an existing directory
   * @throws dev.ramet.errors.RametException {@code ALREADY_EXISTS} when the path exists
   */
  VolumeEntry makeDirectory(String path, Attributes attributes, boolean force);

  /** Changes the attributes of a file or directory. */
  VolumeEntry update(String path, Attributes attributes);

  /** Removes a file, or a directory with everything in it. */
  void remove(String path);

  /** Opens a file for reading. The caller closes its content. */
  Opened read(String path);

  /**
   * Writes a file atomically: readers see either the old content or all of the new.
   *
   * @param overwrite whether to replace an existing file; if not, it is {@code ALREADY_EXISTS}
   * @param parents whether to create missing parent directories
   * @throws IOException when reading {@code content} fails; nothing was changed then
   */
  VolumeEntry write(
      String path, InputStream content, Attributes attributes, boolean overwrite, boolean parents)
      throws IOException;
}
