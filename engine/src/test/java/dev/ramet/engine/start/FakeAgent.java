// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.start;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;

/** Answers every request as an agent that agrees, and keeps what it was asked. Thread-safe. */
final class FakeAgent implements Closeable {
  private final ServerSocket server;
  private final List<String> requests = new CopyOnWriteArrayList<>();

  FakeAgent(String address, int port) throws IOException {
    server = new ServerSocket();
    server.bind(new InetSocketAddress(InetAddress.getByName(address), port));
    Thread thread = new Thread(this::serve, "agent at " + address);
    thread.setDaemon(true);
    thread.start();
  }

  /** Returns each request as its first line, a space, and its body. */
  List<String> requests() {
    return List.copyOf(requests);
  }

  private void serve() {
    while (!server.isClosed()) {
      try (Socket caller = server.accept()) {
        answer(caller);
      } catch (IOException e) {
        // The caller is gone, or this agent is closed.
      }
    }
  }

  private void answer(Socket caller) throws IOException {
    BufferedReader in =
        new BufferedReader(
            new InputStreamReader(caller.getInputStream(), StandardCharsets.ISO_8859_1));
    String first = in.readLine();
    int length = 0;
    for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
      String lower = line.toLowerCase(Locale.ROOT);
      if (lower.startsWith("content-length:")) {
        length = Integer.parseInt(lower.substring(15).strip());
      }
    }
    char[] body = new char[length];
    int read = 0;
    while (read < length) {
      int more = in.read(body, read, length - read);
      if (more < 0) {
        return;
      }
      read += more;
    }
    requests.add(first + " " + new String(body));
    caller
        .getOutputStream()
        .write(
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}"
                .getBytes(StandardCharsets.US_ASCII));
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
