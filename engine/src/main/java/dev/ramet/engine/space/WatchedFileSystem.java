// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.space;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.FullFileSystem;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A file system that takes the data of a root.
 *
 * @param path a path on it
 * @param late whether a guest's write is accepted before there is certainly room for it here: this
 *     file system is below a block device, and the kernel writes to it only later. A write that
 *     then finds no room is lost
 * @param devices whether that block device is a disk
 */
public record WatchedFileSystem(Path path, boolean late, boolean devices) {
  /** The depth of file systems in files; nobody nests them deeper. */
  private static final int DEEPEST = 4;

  /**
   * Returns the file system of a root and, if that is in the image file of a loop device, the file
   * systems around it.
   *
   * @param devices whether disks are block devices whose data is in files of the root
   */
  public static List<WatchedFileSystem> below(Path root, boolean devices) {
    List<WatchedFileSystem> all = new ArrayList<>();
    all.add(new WatchedFileSystem(root, devices, devices));
    try {
      @Nullable Path image = FullFileSystem.backingFile(root);
      for (int depth = 0; image != null && depth < DEEPEST; depth++) {
        all.add(new WatchedFileSystem(image, true, false));
        image = FullFileSystem.backingFile(image);
      }
    } catch (LinuxException e) {
      // The root itself is still watched; the image may be out of this process's sight.
    }
    return List.copyOf(all);
  }
}
