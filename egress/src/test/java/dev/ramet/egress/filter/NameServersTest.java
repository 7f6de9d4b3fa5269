// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.filter;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.Test;

final class NameServersTest {
  @Test
  void readsTheNameServers() {
    assertEquals(
        List.of("/127.0.0.53", "/fe80:0:0:0:0:0:0:1", "/192.0.2.1"),
        NameServers.parse(
                List.of(
                    "# nameserver 1.1.1.1",
                    "search example.org",
                    "nameserver 127.0.0.53",
                    " nameserver\tfe80::1%eth0",
                    "nameserver example.org",
                    "nameserver",
                    "nameserver 192.0.2.1 # comment"))
            .stream()
            .map(InetAddress::toString)
            .toList());
  }
}
