// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.tree;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import java.util.Arrays;

/** What names in a {@link Tree} have to be. */
final class TreePath {
  /** What a path may take, without the zero at its end. */
  static final int MOST_BYTES = 4095;

  private static final int MOST_NAME = 255;
  private static final int ENAMETOOLONG = 36;

  private TreePath() {}

  /** Refuses, as the tree's, a name that is not one part or several joined by one slash each. */
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
        if (length > MOST_NAME) {
          throw root.failure("name", ENAMETOOLONG);
        }
        start = i + 1;
      }
    }
  }

  /** Refuses what has no bytes, too many, or a zero among them. */
  static void checkLength(Fd root, byte[] name) throws LinuxException {
    if (name.length == 0) {
      throw root.failure("name", LinuxException.EINVAL);
    }
    if (name.length > MOST_BYTES) {
      throw root.failure("name", ENAMETOOLONG);
    }
    for (byte b : name) {
      if (b == 0) {
        throw root.failure("name", LinuxException.EINVAL);
      }
    }
  }

  /** As C has it. */
  static byte[] zeroEnded(byte[] name) {
    return Arrays.copyOf(name, name.length + 1);
  }
}
