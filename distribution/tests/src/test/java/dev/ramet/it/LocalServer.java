// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** A server for guests on this host's loopback address; serves one client at a time. */
final class LocalServer implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(LocalServer.class.getName());
  private static final int WAITING = 50;

  private final ServerSocket listener;

  /** Serves a client, which is then closed. */
  interface Serving {
    void serve(Socket client) throws IOException;
  }

  private LocalServer(ServerSocket listener) {
    this.listener = listener;
  }

  /** Starts a server on a free port. */
  static LocalServer start(Serving serving) throws IOException {
    LocalServer server =
        new LocalServer(new ServerSocket(0, WAITING, InetAddress.getLoopbackAddress()));
    Thread thread = new Thread(() -> server.serve(serving), "server");
    thread.setDaemon(true);
    thread.start();
    return server;
  }

  private void serve(Serving serving) {
    while (!listener.isClosed()) {
      try (Socket client = listener.accept()) {
        serving.serve(client);
      } catch (IOException e) {
        LOG.log(System.Logger.Level.DEBUG, "the guest went away, or all is over", e);
      }
    }
  }

  int port() {
    return listener.getLocalPort();
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
