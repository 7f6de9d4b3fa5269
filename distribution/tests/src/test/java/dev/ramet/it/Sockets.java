// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

/** Describes the sockets of this network namespace, by inode. */
final class Sockets {
  private Sockets() {}

  /** Returns the sockets listed in {@code /proc/net}: see proc_net(5). */
  static Map<String, String> byInode() {
    Map<String, String> sockets = new HashMap<>();
    for (String kind : new String[] {"tcp", "tcp6", "udp", "udp6"}) {
      // Local and remote address, state and inode.
      read(
          kind,
          9,
          columns -> columns[1] + " to " + columns[2] + " in state " + columns[3],
          sockets);
    }
    read("unix", 6, columns -> columns.length > 7 ? columns[7] : "without a name", sockets);
    return sockets;
  }

  private static void read(
      String kind, int inode, Function<String[], String> told, Map<String, String> sockets) {
    try {
      Files.readAllLines(Path.of("/proc/net", kind)).stream()
          .skip(1)
          .map(line -> line.strip().split("\\s+"))
          .filter(columns -> columns.length > inode)
          .forEach(columns -> sockets.put(columns[inode], kind + " " + told.apply(columns)));
    } catch (IOException e) {
      // For example a kernel without IPv6.
    }
  }
}
