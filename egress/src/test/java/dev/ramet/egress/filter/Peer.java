// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.filter;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Accepts connections, answers each as it is told to, and keeps what came. */
final class Peer implements AutoCloseable {
  private final ServerSocket listener;
  private final List<String> got = new CopyOnWriteArrayList<>();

  /** How a connection is answered. */
  interface Serving {
    void serve(Socket client, List<String> got) throws IOException;
  }

  private Peer(String address, Serving serving) throws IOException {
    listener = new ServerSocket(0, 50, InetAddress.getByName(address));
    Thread thread =
        new Thread(
            () -> {
              while (!listener.isClosed()) {
                try (Socket client = listener.accept()) {
                  serving.serve(client, got);
                } catch (IOException e) {
                  got.add("failed: " + e.getMessage());
                }
              }
            });
    thread.setDaemon(true);
    thread.start();
  }

  /** Listens at an address of this host, at a port that is free. */
  static Peer at(String address, Serving serving) {
    try {
      return new Peer(address, serving);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Answers what it reads first, then ends. */
  static void echoOnce(Socket client, List<String> got) throws IOException {
    byte[] bytes = new byte[4096];
    int n = client.getInputStream().read(bytes);
    String read = n < 0 ? "" : new String(bytes, 0, n, StandardCharsets.ISO_8859_1);
    got.add(read);
    client.getOutputStream().write(("here " + read).getBytes(StandardCharsets.ISO_8859_1));
  }

  int port() {
    return listener.getLocalPort();
  }

  List<String> got() {
    return got;
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
