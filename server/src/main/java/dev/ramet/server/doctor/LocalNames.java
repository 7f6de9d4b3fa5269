// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Says whether programs on this machine can resolve names below {@code localhost}, by which they
 * reach guests' ports. Browsers and curl do it by themselves; other programs ask the services in
 * nsswitch.conf(5).
 */
final class LocalNames {
  static final Path SERVICES = Path.of("/etc/nsswitch.conf");

  /** Both synthesize these names: nss-myhostname(8), nss-resolve(8). */
  private static final List<String> ABLE = List.of("myhostname", "resolve");

  private LocalNames() {}

  /** Returns the advice for a machine with this file of services; empty if it needs none. */
  static Optional<String> advice(Path services) {
    try {
      for (String line : Files.readAllLines(services)) {
        if (line.strip().startsWith("hosts:")
            && Arrays.stream(line.strip().split("\\s+", -1)).anyMatch(ABLE::contains)) {
          return Optional.empty();
        }
      }
    } catch (IOException e) {
      // Without the file, the C library asks DNS and /etc/hosts only.
    }
    return Optional.of(
        "Node, Python and Go with cgo do not resolve names below localhost on this machine, such as"
            + " 8000-ID.localhost of a guest's port; apt-get install libnss-myhostname, or set"
            + " ramet.domain");
  }
}
