// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.process;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/** Maps guest ports to ports of the machine's loopback address on the host. */
public final class HostPorts {
  /**
   * Added to guest ports that this process may not bind, to move them above all privileged ports.
   */
  private static final int LOW_PORT_SHIFT = 40_000;

  /** CAP_NET_BIND_SERVICE, capabilities(7). */
  private static final int CAP_NET_BIND_SERVICE = 10;

  private static final int FIRST_FREE_PORT = firstFreePort();

  private HostPorts() {}

  /** Returns the same port, or the port plus 40000 if this process may not bind the port itself. */
  public static int hostPort(int guestPort) {
    return guestPort < FIRST_FREE_PORT ? guestPort + LOW_PORT_SHIFT : guestPort;
  }

  /** Returns whether another process has the address. QEMU reports this only as text. */
  public static boolean isTaken(String address, int port) {
    try (ServerSocketChannel probe = ServerSocketChannel.open()) {
      probe.bind(new InetSocketAddress(address, port));
      return false;
    } catch (IOException e) {
      return true;
    }
  }

  private static int firstFreePort() {
    try {
      for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
        if (line.startsWith("CapEff:")) {
          long capabilities = Long.parseUnsignedLong(line.substring(7).strip(), 16);
          if ((capabilities & 1L << CAP_NET_BIND_SERVICE) != 0) {
            return 0;
          }
        }
      }
      // ip(7): ports below are privileged.
      return Integer.parseInt(
          Files.readString(Path.of("/proc/sys/net/ipv4/ip_unprivileged_port_start")).strip());
    } catch (IOException | NumberFormatException e) {
      return 1024;
    }
  }
}
