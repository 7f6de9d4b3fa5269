// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.relay;

import dev.ramet.engine.EgressProxy;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Connects to where a guest wants to, as its rules say: directly, or through their proxy and never
 * without it. Thread-safe.
 */
final class Dialer {
  private static final int CONNECT_MILLIS = (int) Duration.ofSeconds(15).toMillis();
  private static final int PROXY_MILLIS = (int) Duration.ofSeconds(30).toMillis();

  private final Lookup lookup;

  Dialer(Lookup lookup) {
    this.lookup = lookup;
  }

  /** To an address, which the rules allow. */
  Socket address(Passage passage, InetAddress address, int port) throws IOException {
    EgressProxy proxy = passage.proxy();
    if (proxy == null) {
      return direct(passage, List.of(address), port);
    }
    return through(passage, proxy, socket -> Socks.connect(socket, proxy, address, port));
  }

  /**
   * To a name. One that is allowed is looked up here, or by the proxy; of another one only
   * addresses are taken that the rules allow.
   *
   * @param name as {@link HostNames#normal} has it
   */
  Socket name(Passage passage, String name, int port) throws IOException {
    EgressProxy proxy = passage.proxy();
    boolean allowed = passage.names().contain(name);
    if (proxy != null && allowed) {
      return through(passage, proxy, socket -> Socks.connect(socket, proxy, name, port));
    }
    List<InetAddress> addresses = lookup.addresses(name);
    List<InetAddress> fit =
        addresses.stream()
            .filter(one -> allowed ? !passage.never().test(one) : passage.reaches(one))
            .toList();
    if (fit.isEmpty()) {
      throw new RefusedException(
          allowed
              ? "what " + name + " stands for is never reached from this host's guests"
              : "the rules of this sandbox do not allow " + name);
    }
    return proxy == null
        ? direct(passage, fit, port)
        : through(passage, proxy, socket -> Socks.connect(socket, proxy, fit.get(0), port));
  }

  private interface Asking {
    void ask(Socket socket) throws IOException;
  }

  private Socket through(Passage passage, EgressProxy proxy, Asking asking) throws IOException {
    List<InetAddress> addresses = new ArrayList<>(lookup.addresses(proxy.host()));
    addresses.removeIf(passage.never());
    if (addresses.isEmpty()) {
      throw new RefusedException("the proxy is at an address that guests never reach");
    }
    Socket socket = direct(passage, addresses, proxy.port());
    boolean done = false;
    try {
      socket.setSoTimeout(PROXY_MILLIS);
      asking.ask(socket);
      socket.setSoTimeout(0);
      done = true;
      return socket;
    } finally {
      if (!done) {
        socket.close();
      }
    }
  }

  private static Socket direct(Passage passage, List<InetAddress> addresses, int port)
      throws IOException {
    ConnectException failure = new ConnectException("nobody answers");
    for (InetAddress address : addresses) {
      if (passage.never().test(address)) {
        throw new RefusedException("an address that guests never reach");
      }
      Socket socket = new Socket();
      try {
        socket.connect(new InetSocketAddress(address, port), CONNECT_MILLIS);
        socket.setTcpNoDelay(true);
        socket.setKeepAlive(true);
        return socket;
      } catch (IOException e) {
        socket.close();
        failure.addSuppressed(e);
      }
    }
    throw failure;
  }
}
