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
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Requests that get a secret: the right host alone sees it, and nothing is cut off unnoticed. */
final class InjectedRequestsTest extends InjectedGround {
  static List<String> heads() {
    return Heads.AMBIGUOUS;
  }

  @ParameterizedTest
  @MethodSource("heads")
  void aRequestThatCanBeMisunderstoodIsRefused(String text) throws Exception {
    answering(OK);
    try (Socket guest = net.guest()) {
      send(guest, GET + text);
      String answers = rest(guest);
      assertTrue(answers.startsWith(OK + "HTTP/1.1 400 Bad Request\r\n"), answers);
      assertTrue(answers.endsWith("\n(end)"), answers);
    }
    assertTrue(seen().contains(KEY));
    assertTrue(seen.isEmpty());
  }

  @Test
  void whatIsTooLargeIsRefused() throws Exception {
    listening();
    String line = "A: " + "x".repeat(1000) + "\r\n";
    for (String large :
        List.of(
            GET.replace("\r\n\r\n", "\r\n") + line.repeat(70) + "\r\n",
            GET.replace("\r\n\r\n", "\r\n") + "A: b\r\n".repeat(300) + "\r\n")) {
      try (Socket guest = net.guest()) {
        send(guest, large);
        // Too large to find the name in it, so this is refused as a connection for no name.
        String answer = rest(guest);
        assertTrue(answer.startsWith("HTTP/1.1 400 "), answer);
      }
    }
    assertEquals(0, net.hostConnections.get());
  }

  @Test
  void aSecretGoesToItsHostAlone() throws Exception {
    answering(OK);
    try (Socket guest = net.guest()) {
      send(guest, GET.replace("a.test", "b.test"));
      assertEquals(OK, read(guest, OK.length()));
      send(guest, GET.replace("a.test", "b.test"));
      assertEquals(OK, read(guest, OK.length()));
    }
    assertFalse(seen().contains("X-Key"));
    assertFalse(seen().contains("X-Key"));
    try (Socket guest = net.guest()) {
      send(guest, GET);
      assertEquals(OK, read(guest, OK.length()));
      assertTrue(seen().contains(KEY));
      send(guest, GET.replace("a.test", "b.test"));
      assertTrue(rest(guest).startsWith("HTTP/1.1 421 "));
    }
    try (Socket guest = net.guest()) {
      send(guest, GET.replace("a.test", "b.test"));
      assertEquals(OK, read(guest, OK.length()));
      assertFalse(seen().contains("X-Key"));
      // Its name is allowed, so it passes here too, but without the header.
      send(guest, GET);
      guest.shutdownOutput();
      String answer = rest(guest);
      if (answer.startsWith(OK)) {
        assertFalse(seen().contains("s3cret"));
      }
    }
    assertTrue(seen.isEmpty());
  }

  @Test
  void requestsInOnePacketAreAnsweredInOrder() throws Exception {
    net.host(
        socket -> {
          for (int i = 1; i <= 3; i++) {
            seen.add(head(socket));
            // A request is not sent before the answer to the one before it.
            assertEquals(0, socket.getInputStream().available());
            send(socket, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n" + i);
          }
        });
    try (Socket guest = net.guest()) {
      send(guest, GET + GET + GET.replace("GET", "DELETE"));
      for (int i = 1; i <= 3; i++) {
        assertEquals("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n", head(guest));
        assertEquals("" + i, read(guest, 1));
        assertTrue(seen().contains(KEY));
      }
    }
    assertTrue(net.troubles.isEmpty(), net.troubles.toString());
    assertEquals(1, net.hostConnections.get());
  }

  @Test
  void whatIsBetweenTwoHopsIsLeftOut() throws Exception {
    answering(OK);
    try (Socket guest = net.guest()) {
      send(
          guest,
          GET.replace(
              "\r\n\r\n",
              "\r\nTE: trailers\r\nKeep-Alive: 5\r\nX: y\r\nx-key: own\r\nConnection: x, X\r\n\r\n"));
      assertEquals(OK, read(guest, OK.length()));
      assertEquals("GET / HTTP/1.1\r\nHost: a.test\r\nX: y\r\n" + KEY + "\r\n", seen());
      send(guest, GET.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"));
      assertEquals(OK + "(end)", rest(guest));
      assertTrue(seen().endsWith("Connection: close\r\n\r\n"));
    }
    for (String last :
        List.of(
            "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")) {
      answering(last);
      try (Socket guest = net.guest()) {
        send(guest, GET + GET);
        String got = rest(guest);
        assertTrue(
            got.endsWith("Content-Length: 0\r\n\r\n(end)") || got.endsWith("close\r\n\r\n(end)"),
            got);
        assertEquals(0, got.lastIndexOf("HTTP/1."), got);
      }
    }
  }
}
