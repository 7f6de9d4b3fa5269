// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.tree;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import java.util.Arrays;

/** Checks the syntax of names in a {@link Tree}. */
final class TreePath {
  /** The maximum length of a path, without the terminating zero. */
  static final int MAX_BYTES = 4095;

  private static final int MAX_NAME = 255;
  private static final int ENAMETOOLONG = 36;

  private TreePath() {}

  /** Throws the tree's error for a name that is not one or more parts joined by one slash each. */
  static void check(Fd root, byte[] name) throws LinuxException {
    checkLength(root, name);
    int start = 0;
    for (int i = 0; i <= name.length; i++) {
      if (i == name.length || name[i] == '/') {
        int length = i - start;
        boolean dots =
            length > 0
                && length <= 2
                && name[start] == '.'
                && (length == 1 || name[start + 1] == '.');
        if (length == 0 || dots) {
          throw root.failure("name", LinuxException.EINVAL);
        }
        if (length > MAX_NAME) {
          throw root.failure("name", ENAMETOOLONG);
        }
        start = i + 1;
      }
    }
  }

  /** Throws the tree's error for a name that is empty, too long, or contains a zero byte. */
  static void checkLength(Fd root, byte[] name) throws LinuxException {
    if (name.length == 0) {
      throw root.failure("name", LinuxException.EINVAL);
    }
    if (name.length > MAX_BYTES) {
      throw root.failure("name", ENAMETOOLONG);
    }
    for (byte b : name) {
      if (b == 0) {
        throw root.failure("name", LinuxException.EINVAL);
      }
    }
  }

  /** Returns the name as a C string. */
  static byte[] zeroEnded(byte[] name) {
    return Arrays.copyOf(name, name.length + 1);
  }
}
