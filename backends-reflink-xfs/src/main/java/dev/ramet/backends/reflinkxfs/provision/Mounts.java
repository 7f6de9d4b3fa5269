// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.reflinkxfs.provision;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads the mounted file systems from /proc/self/mountinfo; see proc_pid_mountinfo(5). */
final class Mounts {
  private static final Path MOUNTINFO = Path.of("/proc/self/mountinfo");
  private static final Pattern SPACE = Pattern.compile(" ");
  private static final Pattern OCTAL = Pattern.compile("\\\\([0-7]{3})");
  private static final int DEVICE = 2;
  private static final int MOUNT_POINT = 4;

  private Mounts() {}

  /**
   * Returns the device number {@code major:minor} mounted at a directory, or null if nothing is.
   */
  static @Nullable String deviceAt(Path mountPoint) {
    String device = null;
    try {
      for (String line : Files.readAllLines(MOUNTINFO)) {
        List<String> fields = SPACE.splitAsStream(line).toList();
        if (unescape(fields.get(MOUNT_POINT)).equals(mountPoint.toString())) {
          // If several are mounted on top of each other, the last one is visible.
          device = fields.get(DEVICE);
        }
      }
    } catch (IOException e) {
      throw new RametException(
          ErrorCode.HOST_UNFIT, "cannot read " + MOUNTINFO + ": " + e.getMessage(), e);
    }
    return device;
  }

  /** Returns the file behind a loop device, or null for any other device. */
  static @Nullable Path backingFile(String device) {
    try {
      return Path.of(
          Files.readString(Path.of("/sys/dev/block", device, "loop", "backing_file")).strip());
    } catch (IOException e) {
      return null;
    }
  }

  /** Returns the device's node, for example {@code /dev/loop0}. */
  static Path node(String device) {
    try {
      Path name = Path.of("/sys/dev/block", device).toRealPath().getFileName();
      return Path.of("/dev", String.valueOf(name));
    } catch (IOException e) {
      throw new RametException(
          ErrorCode.HOST_UNFIT, "cannot find the device " + device + ": " + e.getMessage(), e);
    }
  }

  /** Space, tab, newline and backslash are escaped as octal numbers there. */
  private static String unescape(String field) {
    return OCTAL
        .matcher(field)
        .replaceAll(
            found -> {
              String character = Character.toString(Integer.parseInt(found.group(1), 8));
              return java.util.regex.Matcher.quoteReplacement(character);
            });
  }
}
