// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.http;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

/** Looks at the address that a host is to listen on. */
public final class ListenAddress {
  private ListenAddress() {}

  /** Whether nobody listens there yet. */
  public static boolean isFree(String address, int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.setReuseAddress(true); // as the server does: connections that linger are no obstacle
      socket.bind(new InetSocketAddress(address, port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
