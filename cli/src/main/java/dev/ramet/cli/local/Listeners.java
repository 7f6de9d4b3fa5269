// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.local;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * Finds the owners of programs that listen on a TCP port of this machine. The kernel lists
 * listening sockets with the user id of their creator in {@code /proc/net/tcp} and {@code tcp6}
 * (proc(5)).
 */
final class Listeners {
  private static final String LISTEN = "0A";
  private static final int LOCAL = 1;
  private static final int STATE = 3;
  private static final int UID = 7;

  private Listeners() {}

  /**
   * Returns whether all listeners on the port belong to root or a user; true when there are none.
   */
  static boolean isOwnedBy(int user, InetSocketAddress address) throws IOException {
    return isOwnedBy(user, address.getPort(), Path.of("/proc/net/tcp"))
        && isOwnedBy(user, address.getPort(), Path.of("/proc/net/tcp6"));
  }

  static boolean isOwnedBy(int user, int port, Path table) throws IOException {
    String suffix = ":%04X".formatted(port);
    try {
      for (String line : Files.readAllLines(table)) {
        String[] fields = line.strip().split("\\s+", -1);
        if (fields.length > UID
            && fields[STATE].equals(LISTEN)
            && fields[LOCAL].endsWith(suffix)
            && !fields[UID].equals("0")
            && !fields[UID].equals(Integer.toString(user))) {
          return false;
        }
      }
      return true;
    } catch (NoSuchFileException e) {
      return true; // a kernel without IPv6
    }
  }
}
