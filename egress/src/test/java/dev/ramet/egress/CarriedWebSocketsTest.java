// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress;

import static dev.ramet.egress.ProxyHarness.head;
import static dev.ramet.egress.ProxyHarness.read;
import static dev.ramet.egress.ProxyHarness.rest;
import static dev.ramet.egress.ProxyHarness.send;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.Socket;
import org.junit.jupiter.api.Test;

/** Checks which requests may open a WebSocket, and that no request hides behind one. */
final class CarriedWebSocketsTest extends CarriedGround {
  /** Some parsers take eight bytes after such a head for a body. */
  @Test
  void anOldWebSocketDraftHidesNoRequest() throws Exception {
    listening();
    String hixie =
        "GET / HTTP/1.1\r\nHost: a.test\r\nSec-WebSocket-Key1: 1\r\nSec-WebSocket-Key2: 2\r\n\r\n";
    try (Socket guest = net.guest()) {
      send(guest, GET + hixie + "GET / HTTP/1.1\r\nHost: b.test\r\n\r\n");
      assertEquals("(broken)", rest(guest));
    }
    String got = seen();
    assertFalse(got.contains("b.test"), got);
    assertFalse(got.contains("GET / HT(broken)"), got);
  }

  @Test
  void onlyTheFirstRequestMayAskForAWebSocket() throws Exception {
    String socket =
        GET.replace(
            "\r\n\r\n",
            "\r\nX: y\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n\r\n");
    listening();
    try (Socket guest = net.guest()) {
      send(guest, GET + socket);
      guest.shutdownOutput();
      assertEquals("(end)", rest(guest));
    }
    assertEquals(
        GET + "GET / HTTP/1.1\r\nHost: a.test\r\nX: y\r\nConnection: keep-alive\r\n\r\n(end)",
        seen());
    String withBody = socket.replace("X: y", "Content-Length: 2") + "ok";
    try (Socket guest = net.guest()) {
      send(guest, withBody);
      guest.shutdownOutput();
      assertEquals("(end)", rest(guest));
    }
    assertFalse(seen().contains("Upgrade"));
  }

  @Test
  void aWebSocketOpensAfterInterimAnswers() throws Exception {
    String upgrade =
        "GET / HTTP/1.1\r\nHost: a.test\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n";
    net.host(
        socket -> {
          seen.add(head(socket));
          send(socket, "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n");
          send(socket, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\nhello");
          seen.add(rest(socket));
          send(socket, "bye");
        });
    try (Socket guest = net.guest()) {
      send(guest, upgrade + "early");
      assertEquals(upgrade, seen());
      assertTrue(head(guest).startsWith("HTTP/1.1 103 Early Hints\r\n"));
      assertTrue(head(guest).startsWith("HTTP/1.1 101 Switching Protocols\r\n"));
      assertEquals("hello", read(guest, 5));
      send(guest, "\0\u00ff anything \n\n");
      guest.shutdownOutput();
      assertEquals("bye(end)", rest(guest));
      assertEquals("early\0\u00ff anything \n\n(end)", seen());
    }
    net.host(
        socket -> {
          head(socket);
          send(socket, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nplain");
          seen.add(rest(socket));
        });
    try (Socket guest = net.guest()) {
      send(guest, upgrade + "no request\r\n\r\n");
      assertEquals("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nplain", read(guest, 43));
      assertEquals("(broken)", rest(guest));
      assertEquals("(broken)", seen());
    }
  }
}
