// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.block;

import dev.ramet.linux.LinuxException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The number of a block device.
 *
 * @param major the number of its driver
 * @param minor the number of the device within the driver
 */
public record DeviceNumber(int major, int minor) {
  /** Decodes the kernel's "huge" encoding (linux/kdev_t.h). */
  static DeviceNumber decode(long dev) {
    return new DeviceNumber(
        (int) ((dev >> 8) & 0xfff), (int) ((dev & 0xff) | ((dev >> 12) & 0xfff00)));
  }

  /**
   * Parses {@code major:minor}, as device-mapper prints devices in tables.
   *
   * @throws IllegalArgumentException if the text does not have that form
   */
  public static DeviceNumber parse(String text) {
    int colon = text.indexOf(':');
    if (colon < 0) {
      throw new IllegalArgumentException("not a device number: " + text);
    }
    return new DeviceNumber(
        Integer.parseInt(text.substring(0, colon)), Integer.parseInt(text.substring(colon + 1)));
  }

  /**
   * Returns the device's node. The kernel itself creates it in {@code /dev} (devtmpfs) and gives
   * its name in {@code sys}; links such as those in {@code /dev/mapper} are created by udev, which
   * a host need not have.
   *
   * @throws LinuxException {@code ENXIO} if there is no such device
   */
  public Path node() throws LinuxException {
    Path entry = Path.of("/sys/dev/block", toString());
    try {
      // sysfs writes "!" for the "/" of a name.
      String name = Files.readSymbolicLink(entry).getFileName().toString().replace('!', '/');
      return Path.of("/dev", name);
    } catch (IOException e) {
      throw new LinuxException("readlink", LinuxException.ENXIO, entry.toString());
    }
  }

  @Override
  public String toString() {
    return major + ":" + minor;
  }
}
