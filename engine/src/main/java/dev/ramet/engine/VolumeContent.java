// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The files of a volume, for those outside of sandboxes. Paths are absolute within the volume, and
 * no symbolic link is followed: what one says is meant for guests.
 *
 * <p>Thread-safe; guests change the files meanwhile. A path that does not exist is {@code
 * NOT_FOUND}, one that is no path {@code INVALID_ARGUMENT}.
 */
public interface VolumeContent {
  /**
   * What a new file or directory is given, or an old one.
   *
   * @param uid owner, or null for root, or what it is
   * @param gid group, or null likewise
   * @param mode permission bits, or null for the usual ones, or what they are
   */
  record Attributes(@Nullable Integer uid, @Nullable Integer gid, @Nullable Integer mode) {}

  /** An open file: what it was when it was opened, and its content. */
  record Opened(VolumeEntry entry, InputStream content) {}

  /** What a path stands for. */
  VolumeEntry stat(String path);

  /**
   * What is in a directory, each directory before what is in it.
   *
   * @param depth how many levels, 1 or more
   */
  List<VolumeEntry> list(String path, int depth);

  /**
   * Makes a directory.
   *
   * @param force makes those above it too, and is content with one that is there
   * @throws dev.ramet.errors.RametException {@code ALREADY_EXISTS} when something is there
   */
  VolumeEntry makeDirectory(String path, Attributes attributes, boolean force);

  /** Gives a file or directory other attributes. */
  VolumeEntry update(String path, Attributes attributes);

  /** Removes a file, or a directory with all that is in it. */
  void remove(String path);

  /** Opens a file for reading. The caller closes its content. */
  Opened read(String path);

  /**
   * Writes a file. Readers see the old content, or all of the new.
   *
   * @param overwrite whether one that is there is replaced, else it is {@code ALREADY_EXISTS}
   * @param parents whether directories above it are made
   * @throws IOException when {@code content} breaks off; then nothing was changed
   */
  VolumeEntry write(
      String path, InputStream content, Attributes attributes, boolean overwrite, boolean parents)
      throws IOException;
}
