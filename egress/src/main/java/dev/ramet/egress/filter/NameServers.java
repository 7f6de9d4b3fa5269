// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.filter;

import dev.ramet.egress.rule.Cidr;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The name servers of this host (resolv.conf(5)), which user networking asks for guests. */
final class NameServers {
  private static final Path FILE = Path.of("/etc/resolv.conf");
  private static final String ENTRY = "nameserver";

  private NameServers() {}

  /** Those of now; none when the file cannot be read. */
  static List<InetAddress> read() {
    try {
      return parse(Files.readAllLines(FILE));
    } catch (IOException e) {
      return List.of();
    }
  }

  static List<InetAddress> parse(List<String> lines) {
    List<InetAddress> found = new ArrayList<>();
    for (String line : lines) {
      String[] words = line.strip().split("\\s+", -1);
      if (words.length > 1 && words[0].equals(ENTRY)) {
        // One of a link has its name behind a percent sign.
        InetAddress address = address(words[1].replaceAll("%.*", ""));
        if (address != null) {
          found.add(address);
        }
      }
    }
    return found;
  }

  /** Null for what is none: the C library does not take it either. */
  private static @Nullable InetAddress address(String text) {
    try {
      // Names would be looked up otherwise.
      return Cidr.parse(text).coversAll() ? null : InetAddress.getByName(text);
    } catch (IllegalArgumentException | UnknownHostException e) {
      return null;
    }
  }
}
