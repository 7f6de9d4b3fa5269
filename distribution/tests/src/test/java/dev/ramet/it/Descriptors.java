// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Lists the open file descriptors of this process. */
final class Descriptors {
  private Descriptors() {}

  /**
   * Returns the targets of the open descriptors, except those that the JDK closes at garbage
   * collection: the jars of discarded module layers and the selectors of HTTP clients.
   */
  static List<String> open() {
    Map<String, String> sockets = Sockets.byInode();
    return Arrays.stream(Objects.requireNonNull(new File("/proc/self/fd").list()))
        .map(fd -> target(Path.of("/proc/self/fd", fd)))
        .map(target -> named(target, sockets))
        .filter(target -> !target.endsWith(".jar") && !target.startsWith("anon_inode:[event"))
        .sorted()
        .toList();
  }

  private static String named(String target, Map<String, String> sockets) {
    return target.startsWith("socket:[")
        ? target
            + " "
            + sockets.getOrDefault(target.substring(8, target.length() - 1), "of no protocol")
        : target;
  }

  private static String target(Path fd) {
    try {
      return Files.readSymbolicLink(fd).toString();
    } catch (IOException e) {
      return "closed meanwhile";
    }
  }
}
