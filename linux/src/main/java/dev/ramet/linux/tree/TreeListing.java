// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.tree;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.call.DirectoryCalls;
import dev.ramet.linux.file.Fd;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Reads directories, whose names are bytes without an encoding. */
final class TreeListing {
  private static final int BUFFER_BYTES = 64 << 10;

  // struct linux_dirent64, getdents(2).
  private static final int INODE = 0;
  private static final int RECORD_LENGTH = 16;
  private static final int TYPE = 18;
  private static final int NAME = 19;

  private TreeListing() {}

  /**
   * Returns the names in an open directory, in the order of the file system, without {@code .} and
   * {@code ..}.
   *
   * @param most how many there may be; {@code EFBIG} for more
   */
  static List<TreeName> read(Fd directory, int most) throws LinuxException {
    try (Memory buffer = new Memory(BUFFER_BYTES)) {
      List<TreeName> names = new ArrayList<>();
      while (true) {
        long length =
            DirectoryCalls.getdents64(
                directory.number(), Pointer.nativeValue(buffer), BUFFER_BYTES);
        Tree.check(directory, "getdents64", length, length < 0 ? Native.getLastError() : 0);
        if (length == 0) {
          return names;
        }
        for (int at = 0; at < length; at += buffer.getShort(at + RECORD_LENGTH) & 0xFFFF) {
          String text = buffer.getString(at + NAME, "ISO-8859-1");
          if (!text.equals(".") && !text.equals("..")) {
            if (names.size() == most) {
              throw directory.failure("getdents64", LinuxException.EFBIG);
            }
            names.add(
                new TreeName(
                    text.getBytes(StandardCharsets.ISO_8859_1),
                    buffer.getLong(at + INODE),
                    buffer.getByte(at + TYPE)));
          }
        }
      }
    }
  }
}
