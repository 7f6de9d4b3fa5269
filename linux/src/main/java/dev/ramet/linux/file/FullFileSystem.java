// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.file;

import dev.ramet.linux.LinuxException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The full file system that made a write fail. It need not be the one that was written to: a file
 * system in a sparse file, attached to a loop device, counts space as free that the file system
 * around the file may no longer have. Immutable.
 *
 * @param where the path that could not be written, or one on the same file system
 * @param image the file that holds the file system of {@code where} and could not grow, or null if
 *     {@code where} itself is on the full one
 */
public record FullFileSystem(Path where, @Nullable Path image) {
  /** File systems refuse even small files while they still count a little space as free. */
  private static final long MIN_BYTES = 1 << 20;

  /** A loop device's writes come in pieces of up to a few MiB, and none may fit any more. */
  private static final long MIN_AROUND_BYTES = 4 << 20;

  /** The number of the field of a line in mountinfo that names the mount point. */
  private static final int MOUNT_POINT = 4;

  /** The depth of file systems in files; nobody nests them deeper. */
  private static final int DEEPEST = 4;

  /**
   * Finds the full file system by the free space.
   *
   * @param where an existing path
   * @param needBytes how much was to be written; 0 for little
   * @return null if there is room, or if that cannot be determined
   */
  public static @Nullable FullFileSystem find(Path where, long needBytes) {
    try {
      FileStat stat = PathCalls.stat(where);
      if (!stat.isRegularFile() && !stat.isDirectory()) {
        // A device takes no room where its node is.
        return null;
      }
      if (FsInfo.of(where).freeBytes() < Math.max(MIN_BYTES, needBytes)) {
        return new FullFileSystem(where, null);
      }
      Path image = backingFile(where);
      for (int depth = 0; image != null && depth < DEEPEST; depth++) {
        if (FsInfo.of(image).freeBytes() < MIN_AROUND_BYTES) {
          return new FullFileSystem(where, image);
        }
        image = backingFile(image);
      }
      return null;
    } catch (LinuxException e) {
      return null;
    }
  }

  /** Returns the full file system that caused an ENOSPC error at a path. */
  public static FullFileSystem findAt(Path where) {
    FullFileSystem found = find(where, 0);
    // Space is not only bytes: inodes run out as well.
    return found == null ? new FullFileSystem(where, null) : found;
  }

  /** Which it is and how full, for people. */
  public String describe() {
    Path around = image == null ? null : image.getParent();
    return around == null
        ? FsInfo.describe(where)
        : FsInfo.describe(around) + ", where " + image + " holds all of " + where;
  }

  /** Returns whether it is a different file system than the one that was written to. */
  public boolean isContaining() {
    return image != null;
  }

  /**
   * Returns the file behind the loop device that a path's file system is on, or null; see loop(4).
   */
  public static @Nullable Path backingFile(Path path) throws LinuxException {
    long device = PathCalls.stat(path).device();
    Path entry = Path.of("/sys/dev/block", (device >> 32) + ":" + (device & 0xFFFF_FFFFL));
    Path file = imageOf(entry);
    if (file != null || Files.exists(entry)) {
      return file;
    }
    // Btrfs gives its files device numbers of its own, which belong to no device.
    String source = mountSource(path);
    return source == null || !source.startsWith("/dev/loop")
        ? null
        : imageOf(Path.of("/sys/class/block", source.substring("/dev/".length())));
  }

  private static @Nullable Path imageOf(Path device) {
    try {
      Path file = Path.of(Files.readString(device.resolve("loop/backing_file")).stripTrailing());
      return Files.exists(file) ? file : null;
    } catch (IOException e) {
      // Another kind of device.
      return null;
    }
  }

  /** Returns the device that is mounted above a path; see proc_pid_mountinfo(5). */
  private static @Nullable String mountSource(Path path) {
    String source = null;
    int longest = -1;
    try {
      Path real = path.toRealPath();
      for (String line : Files.readAllLines(Path.of("/proc/self/mountinfo"))) {
        String[] fields = line.split(" ", -1);
        int end = Arrays.asList(fields).indexOf("-");
        // Names with spaces are escaped there; a pool's directory that has one is not found.
        Path mountPoint = Path.of(fields[MOUNT_POINT]);
        if (end > 0 && real.startsWith(mountPoint) && mountPoint.getNameCount() >= longest) {
          longest = mountPoint.getNameCount();
          source = fields[end + 2];
        }
      }
    } catch (IOException e) {
      return null;
    }
    return source;
  }
}
