// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.http;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

/** Checks the address that a host is configured to listen on. */
public final class ListenAddress {
  private ListenAddress() {}

  /** Returns whether no process listens there. */
  public static boolean isFree(String address, int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.setReuseAddress(
          true); // as the server does, so that connections in TIME_WAIT do not matter
      socket.bind(new InetSocketAddress(address, port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
