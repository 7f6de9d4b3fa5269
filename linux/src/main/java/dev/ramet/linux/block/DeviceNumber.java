// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.block;

import dev.ramet.linux.LinuxException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The number of a block device.
 *
 * @param major whose driver it is
 * @param minor which of the driver's devices
 */
public record DeviceNumber(int major, int minor) {
  /** Takes apart what the kernel calls a huge encoding (linux/kdev_t.h). */
  static DeviceNumber decode(long dev) {
    return new DeviceNumber(
        (int) ((dev >> 8) & 0xfff), (int) ((dev & 0xff) | ((dev >> 12) & 0xfff00)));
  }

  /**
   * Reads {@code major:minor}, as device-mapper writes devices in tables.
   *
   * @throws IllegalArgumentException when it is not of that form
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
   * The device's node. The kernel itself makes it in {@code /dev} (devtmpfs) and says in {@code
   * /sys} what it is called; links such as those in {@code /dev/mapper} are made by udev, which a
   * host need not have.
   *
   * @throws LinuxException {@code ENXIO} when there is no such device
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
