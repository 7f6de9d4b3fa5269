// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Tests plain TCP connections to guests' ports through the host. */
final class RawTunnelTest extends ProxyGround {
  private Socket open(String sandbox, int port) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), host.port());
    socket
        .getOutputStream()
        .write(
            """
            GET / HTTP/1.1
            Host: localhost
            Connection: Upgrade
            Upgrade: ramet-tcp
            E2b-Sandbox-Id: %s
            E2b-Sandbox-Port: %d

            """
                .replace("\n", "\r\n")
                .formatted(sandbox, port)
                .getBytes(StandardCharsets.US_ASCII));
    return socket;
  }

  private static String head(InputStream in) throws IOException {
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int one = in.read();
      assertTrue(one >= 0, head.toString());
      head.append((char) one);
    }
    return head.toString();
  }

  @Test
  void anyBytesPassInBothDirections() throws Exception {
    byte[] bytes = new byte[300_000];
    new Random(1).nextBytes(bytes);
    try (ServerSocket guest = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      host.engine.sandboxes.endpoints.put(
          id + ":7", new InetSocketAddress(guest.getInetAddress(), guest.getLocalPort()));
      try (Socket client = open(id, 7);
          Socket inGuest = guest.accept()) {
        String head = head(client.getInputStream());
        assertTrue(head.startsWith("HTTP/1.1 101 "), head);
        client.getOutputStream().write("hello".getBytes(StandardCharsets.US_ASCII));
        assertEquals(
            "hello", new String(inGuest.getInputStream().readNBytes(5), StandardCharsets.US_ASCII));
        Thread writer = new Thread(() -> write(inGuest, bytes));
        writer.start();
        assertArrayEquals(bytes, client.getInputStream().readNBytes(bytes.length));
        writer.join();
        inGuest.close();
        assertEquals(-1, client.getInputStream().read());
      }
    }
  }

  private static void write(Socket to, byte[] bytes) {
    try {
      to.getOutputStream().write(bytes);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  /** Its calls are filtered, which a tunnel would circumvent. */
  @Test
  void theAgentsPortIsRefused() throws Exception {
    try (Socket client = open(id, 49983)) {
      assertTrue(head(client.getInputStream()).startsWith("HTTP/1.1 404 "));
    }
    assertEquals(0, seen.size());
  }

  @Test
  void aClosedPortIsSaid() throws Exception {
    try (ServerSocket closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      host.engine.sandboxes.endpoints.put(
          id + ":81", new InetSocketAddress(closed.getInetAddress(), closed.getLocalPort()));
      closed.close();
      try (Socket client = open(id, 81)) {
        assertTrue(head(client.getInputStream()).startsWith("HTTP/1.1 502 "));
      }
    }
  }
}
