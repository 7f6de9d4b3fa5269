// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.http;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import org.jspecify.annotations.Nullable;

/** Checks the address that a host is configured to listen on. */
public final class ListenAddress {
  private static final int FIRST_FREE_FOR_ALL = 1024;

  private ListenAddress() {}

  /** Returns whether no process listens there. */
  public static boolean isFree(String address, int port) {
    return failure(new InetSocketAddress(address, port)) == null;
  }

  /**
   * Checks that the host can listen there, and changes nothing.
   *
   * @param port the port, or 0 for any free one
   * @throws RametException {@code CONFLICT} when another program listens there, {@code
   *     INVALID_ARGUMENT} for an address that this machine does not have, {@code HOST_UNFIT} when
   *     this user may not listen there
   */
  public static void check(String address, int port) {
    InetSocketAddress wanted = new InetSocketAddress(address, port);
    IOException failure = failure(wanted);
    if (failure != null) {
      throw error(wanted, failure);
    }
  }

  private static @Nullable IOException failure(InetSocketAddress wanted) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.setReuseAddress(
          true); // as the server does, so that connections in TIME_WAIT do not matter
      socket.bind(wanted);
      return null;
    } catch (IOException e) {
      return e;
    }
  }

  private static RametException error(InetSocketAddress wanted, IOException failure) {
    InetAddress address = wanted.getAddress();
    if (address == null) {
      return new RametException(
          ErrorCode.INVALID_ARGUMENT,
          "ramet.bind: no such host name: " + wanted.getHostString(),
          "use an address of this machine, such as 127.0.0.1",
          failure);
    }
    String where = "cannot listen on " + format(address, wanted.getPort());
    IOException anyPort = failure(new InetSocketAddress(address, 0));
    if (anyPort != null) {
      return new RametException(
          ErrorCode.INVALID_ARGUMENT,
          where + ": this machine does not have the address",
          "set ramet.bind to one that it has (ip address), or to 0.0.0.0 for all",
          anyPort);
    }
    // Root may use every port, so that for it only another program can be the reason.
    if (wanted.getPort() < FIRST_FREE_FOR_ALL
        && failure(new InetSocketAddress(address, unusedLowPort(wanted.getPort()))) != null) {
      return new RametException(
          ErrorCode.HOST_UNFIT,
          where + ": this user may not listen on ports below " + FIRST_FREE_FOR_ALL,
          "set ramet.port to "
              + FIRST_FREE_FOR_ALL
              + " or above, or give the program"
              + " CAP_NET_BIND_SERVICE",
          failure);
    }
    return new RametException(
        ErrorCode.CONFLICT,
        where + ": another program listens there",
        "stop it (ss -ltnp shows which it is), or set ramet.port to another port",
        failure);
  }

  /** Returns another low port, which hardly anything uses. */
  private static int unusedLowPort(int port) {
    return port == 1 ? 2 : 1;
  }

  private static String format(InetAddress address, int port) {
    String text = address.getHostAddress();
    return (text.indexOf(':') < 0 ? text : "[" + text + "]") + ":" + port;
  }
}
