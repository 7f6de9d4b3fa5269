// SPDX-License-Identifier: Apache-2.0
package dev.ramet.agent.host;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.agent.wire.Json;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/** A server that sends one prepared response per request; an empty one closes the connection. */
final class Answers implements AutoCloseable {
  private final ServerSocket socket = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
  final List<String> requests = Collections.synchronizedList(new ArrayList<>());

  Answers(String... answers) throws IOException {
    Thread thread =
        new Thread(
            () -> {
              try {
                for (String answer : answers) {
                  try (Socket one = socket.accept()) {
                    requests.add(request(one.getInputStream()));
                    one.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
                  }
                }
              } catch (IOException e) {
                // The test is over.
              }
            });
    thread.setDaemon(true);
    thread.start();
  }

  private static String request(InputStream in) throws IOException {
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      head.append((char) in.read());
    }
    String lower = head.toString().toLowerCase(Locale.ROOT);
    int at = lower.indexOf("content-length: ");
    int length = at < 0 ? 0 : Integer.parseInt(lower.substring(at + 16, lower.indexOf("\r\n", at)));
    return head + new String(in.readNBytes(length), StandardCharsets.UTF_8);
  }

  InetSocketAddress address() {
    return (InetSocketAddress) socket.getLocalSocketAddress();
  }

  JsonNode body(int request) throws IOException {
    String text = requests.get(request);
    String json = text.substring(text.indexOf("\r\n\r\n"));
    return Json.tree(json.getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
