// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.block;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.call.FileCalls;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.file.OpenFlag;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Set;

/**
 * An open loop device, which presents a file as a block device; see loop(4) and linux/loop.h. Needs
 * root. Used by one thread at a time.
 *
 * <p>The device detaches from its file when its last opener closes it ({@code LO_FLAGS_AUTOCLEAR}):
 * a process that dies leaves no loop device behind, and a device-mapper table that uses one keeps
 * it for as long as the table exists.
 */
public final class LoopDevice implements AutoCloseable {
  private static final Path CONTROL = Path.of("/dev/loop-control");
  private static final int LOOP_CLR_FD = 0x4C01;
  private static final int LOOP_GET_STATUS64 = 0x4C05;
  private static final int LOOP_SET_CAPACITY = 0x4C07;
  private static final int LOOP_CONFIGURE = 0x4C0A;
  private static final int LOOP_CTL_GET_FREE = 0x4C82;
  private static final int LOOP_MAJOR = 7;

  private static final int READ_ONLY = 1;
  private static final int AUTOCLEAR = 4;
  private static final int DIRECT_IO = 16;

  // struct loop_config
  static final int CONFIG_BYTES = 304;
  private static final int CONFIG_FD = 0;
  private static final int CONFIG_INFO = 8;

  // struct loop_info64
  static final int INFO_BYTES = 232;
  private static final int INFO_INODE = 8;
  private static final int INFO_FLAGS = 52;
  private static final int INFO_NAME = 56;
  private static final int NAME_BYTES = 64;

  private static final int TRIES = 64;

  private final Fd fd;
  private final DeviceNumber number;

  private LoopDevice(Fd fd, DeviceNumber number) {
    this.fd = fd;
    this.number = number;
  }

  /**
   * The state of an attached loop device.
   *
   * @param file the inode number of its file
   * @param directIo whether it bypasses the file's cache
   * @param readOnly whether it refuses writes
   */
  public record Info(long file, boolean directIo, boolean readOnly) {}

  /**
   * Attaches a file to a free loop device.
   *
   * @param file open for writing too, unless the device is to be read-only
   * @param label the name the device reports, up to 63 bytes
   * @param directIo whether to bypass the file's cache where the file system supports it; otherwise
   *     the data is cached twice
   */
  public static LoopDevice attach(Fd file, String label, boolean readOnly, boolean directIo)
      throws LinuxException {
    try (Fd control = Fd.open(CONTROL, Set.of(OpenFlag.READ, OpenFlag.WRITE), 0);
        Memory config = new Memory(CONFIG_BYTES)) {
      int flags = AUTOCLEAR | (readOnly ? READ_ONLY : 0) | (directIo ? DIRECT_IO : 0);
      for (int left = TRIES; ; left--) {
        int free = FileCalls.ioctl(control.number(), LOOP_CTL_GET_FREE, 0);
        int errno = free < 0 ? Native.getLastError() : 0;
        if (free < 0) {
          throw control.failure("ioctl LOOP_CTL_GET_FREE", errno);
        }
        LoopDevice device = open(new DeviceNumber(LOOP_MAJOR, free), !readOnly);
        fillConfig(config, file, label, flags);
        int result =
            FileCalls.ioctl(device.fd.number(), LOOP_CONFIGURE, Pointer.nativeValue(config));
        errno = result < 0 ? Native.getLastError() : 0;
        if (result == 0) {
          return device;
        }
        device.close();
        if (errno == LinuxException.EINVAL && (flags & DIRECT_IO) != 0) {
          // Some kernels refuse direct I/O if the file system does not support it, others fall
          // back.
          flags &= ~DIRECT_IO;
        } else if (errno != LinuxException.EBUSY || left == 0) {
          // Busy: somebody else was faster and has this one.
          throw device.fd.failure("ioctl LOOP_CONFIGURE", errno);
        }
      }
    }
  }

  private static void fillConfig(Memory config, Fd file, String label, int flags) {
    byte[] name = label.getBytes(StandardCharsets.UTF_8);
    config.clear();
    config.setInt(CONFIG_FD, file.number());
    config.setInt(CONFIG_INFO + INFO_FLAGS, flags);
    config.write(CONFIG_INFO + INFO_NAME, name, 0, Math.min(name.length, NAME_BYTES - 1));
  }

  /**
   * Opens an existing one.
   *
   * @throws IllegalArgumentException when the number is not that of a loop device
   */
  public static LoopDevice open(DeviceNumber number, boolean writable) throws LinuxException {
    if (number.major() != LOOP_MAJOR) {
      throw new IllegalArgumentException("not a loop device: " + number);
    }
    // The node's name is that of the number: partitions of loop devices have another major number.
    Path node = Path.of("/dev/loop" + number.minor());
    Set<OpenFlag> flags = writable ? Set.of(OpenFlag.READ, OpenFlag.WRITE) : Set.of(OpenFlag.READ);
    return new LoopDevice(Fd.open(node, flags, 0), number);
  }

  /** Its device number. */
  public DeviceNumber number() {
    return number;
  }

  /** Returns its state; throws {@code ENXIO} if no file is attached. */
  public Info info() throws LinuxException {
    try (Memory info = new Memory(INFO_BYTES)) {
      int result = FileCalls.ioctl(fd.number(), LOOP_GET_STATUS64, Pointer.nativeValue(info));
      int errno = result < 0 ? Native.getLastError() : 0;
      if (result < 0) {
        throw fd.failure("ioctl LOOP_GET_STATUS64", errno);
      }
      int flags = info.getInt(INFO_FLAGS);
      return new Info(info.getLong(INFO_INODE), (flags & DIRECT_IO) != 0, (flags & READ_ONLY) != 0);
    }
  }

  /** Returns the size of the device in bytes. */
  public long sizeBytes() throws LinuxException {
    return fd.sizeBytes();
  }

  /** Updates the device's size to the present size of its file. */
  public void refreshSize() throws LinuxException {
    int result = FileCalls.ioctl(fd.number(), LOOP_SET_CAPACITY, 0);
    int errno = result < 0 ? Native.getLastError() : 0;
    if (result < 0) {
      throw fd.failure("ioctl LOOP_SET_CAPACITY", errno);
    }
  }

  /** Gives up the file now, or when the last other user closes the device. */
  public void detach() throws LinuxException {
    int result = FileCalls.ioctl(fd.number(), LOOP_CLR_FD, 0);
    int errno = result < 0 ? Native.getLastError() : 0;
    if (result < 0) {
      throw fd.failure("ioctl LOOP_CLR_FD", errno);
    }
  }

  /** Closes the handle. If nobody else has the device open, it detaches from its file. */
  @Override
  public void close() {
    fd.close();
  }
}
