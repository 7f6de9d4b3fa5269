// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests tunnels with frames, in which one side ends its output and still receives. */
final class HalfClosedTunnelTest extends ProxyGround {
  private ServerSocket listener;
  private Socket client;
  private Socket guest;
  private DataInputStream in;
  private DataOutputStream out;

  @BeforeEach
  void open() throws Exception {
    listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    host.engine.sandboxes.endpoints.put(
        id + ":7", new InetSocketAddress(listener.getInetAddress(), listener.getLocalPort()));
    client = new Socket(InetAddress.getLoopbackAddress(), host.port());
    out = new DataOutputStream(client.getOutputStream());
    out.write(
        """
        GET / HTTP/1.1
        Host: localhost
        Connection: Upgrade
        Upgrade: ramet-tcp
        Ramet-Tunnel-Frames: 1
        E2b-Sandbox-Id: %s
        E2b-Sandbox-Port: 7

        """
            .replace("\n", "\r\n")
            .formatted(id)
            .getBytes(StandardCharsets.US_ASCII));
    guest = listener.accept();
    in = new DataInputStream(client.getInputStream());
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      head.append((char) in.readUnsignedByte());
    }
    assertTrue(head.toString().startsWith("HTTP/1.1 101 "), head.toString());
    assertTrue(
        head.toString().toLowerCase(Locale.ROOT).contains("ramet-tunnel-frames: 1"),
        head.toString());
  }

  @AfterEach
  void closeSockets() throws Exception {
    client.close();
    guest.close();
    listener.close();
  }

  private void frame(String text) throws IOException {
    out.writeInt(text.length());
    out.write(text.getBytes(StandardCharsets.US_ASCII));
  }

  /** Returns the content of all frames up to the empty one. */
  private String content() throws IOException {
    StringBuilder all = new StringBuilder();
    for (int length = in.readInt(); length > 0; length = in.readInt()) {
      all.append(new String(in.readNBytes(length), StandardCharsets.US_ASCII));
    }
    return all.toString();
  }

  private String received() throws IOException {
    return new String(guest.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
  }

  @Test
  void aGuestAnswersAfterTheClientsEnd() throws Exception {
    String text = "a".repeat(200_000);
    frame("question ");
    frame(text);
    frame("");
    assertEquals("question " + text, received());
    String answer = "b".repeat(300_000);
    guest.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
    guest.close();
    assertEquals(answer, content());
    assertEquals(-1, in.read());
  }

  @Test
  void aClientSendsAfterTheGuestsEnd() throws Exception {
    guest.getOutputStream().write("hello".getBytes(StandardCharsets.US_ASCII));
    guest.shutdownOutput();
    assertEquals("hello", content());
    frame("still here");
    frame("");
    assertEquals("still here", received());
    assertEquals(-1, in.read());
  }

  @Test
  void aClientThatIsLostEndsTheGuestsConnection() throws Exception {
    frame("");
    assertEquals("", received());
    client.close();
    // The host closes both directions, so the guest's output is refused sooner or later.
    byte[] piece = new byte[64 << 10];
    IOException refused = null;
    while (refused == null) {
      try {
        guest.getOutputStream().write(piece);
      } catch (IOException e) {
        refused = e;
      }
    }
  }

  @Test
  void bytesAfterTheEndAndFramesTooLongEndTheTunnel() throws Exception {
    frame("");
    frame("more");
    assertEquals(-1, in.read());
    closeSockets();
    open();
    out.writeInt(Integer.MAX_VALUE);
    assertEquals(-1, in.read());
  }

  /** The client sees no end frame, so it does not take what arrived for all. */
  @Test
  void aGuestThatBreaksTheConnectionDoesNotEndIt() throws Exception {
    guest.setSoLinger(true, 0);
    guest.close();
    assertEquals(-1, in.read());
  }
}
