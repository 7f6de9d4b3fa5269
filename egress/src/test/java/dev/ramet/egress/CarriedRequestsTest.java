// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress;

import static dev.ramet.egress.ProxyHarness.rest;
import static dev.ramet.egress.ProxyHarness.send;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.Socket;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Requests to allowed names: no host may see a request, or the end of one, that was not checked.
 */
final class CarriedRequestsTest extends CarriedGround {
  static List<String> heads() {
    return Heads.AMBIGUOUS;
  }

  @ParameterizedTest
  @MethodSource("heads")
  void aFirstRequestThatCanBeMisunderstoodIsRefused(String text) throws Exception {
    listening();
    try (Socket guest = net.guest()) {
      send(guest, text);
      String answer = rest(guest);
      assertTrue(answer.startsWith("HTTP/1.1 400 Bad Request\r\n"), answer);
      assertTrue(answer.endsWith("\n(end)"), answer);
    }
    assertEquals(0, net.hostConnections.get());
  }

  @ParameterizedTest
  @MethodSource("heads")
  void aLaterRequestThatCanBeMisunderstoodEndsTheConnection(String text) throws Exception {
    listening();
    try (Socket guest = net.guest()) {
      send(guest, GET);
      send(guest, text);
      assertEquals("(broken)", rest(guest));
    }
    assertEquals(GET + "(broken)", seen());
  }

  @Test
  void whatIsTooLargeIsRefused() throws Exception {
    listening();
    String line = "A: " + "x".repeat(1000) + "\r\n";
    for (String large :
        List.of(
            GET.replace("\r\n\r\n", "\r\n") + line.repeat(70) + "\r\n",
            GET.replace("\r\n\r\n", "\r\n") + "A: b\r\n".repeat(300) + "\r\n",
            "GET /" + "x".repeat(70_000) + " HTTP/1.1\r\nHost: a.test\r\n\r\n")) {
      try (Socket guest = net.guest()) {
        send(guest, large);
        String answer = rest(guest);
        assertTrue(answer.startsWith("HTTP/1.1 400 "), answer);
      }
    }
    assertEquals(0, net.hostConnections.get());
    String most = GET.replace("\r\n\r\n", "\r\n") + line.repeat(60) + "\r\n";
    try (Socket guest = net.guest()) {
      send(guest, most);
      guest.shutdownOutput();
      assertEquals("(end)", rest(guest));
    }
    assertEquals(most + "(end)", seen());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "CONNECT a.test:443 HTTP/1.1\r\nHost: a.test\r\n\r\n",
        "GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n",
        "GET a.test HTTP/1.1\r\nHost: a.test\r\n\r\n",
        "GET * HTTP/1.1\r\nHost: a.test\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a.test\r\nConnection: close, host\r\n\r\n",
        "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost:\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a.test\r\nhost: a.test\r\n\r\n"
      })
  void aRequestForAnotherPlaceIsRefused(String text) throws Exception {
    listening();
    try (Socket guest = net.guest()) {
      send(guest, text);
      String answer = rest(guest);
      assertTrue(answer.startsWith("HTTP/1.1 400 "), answer);
    }
    try (Socket guest = net.guest()) {
      send(guest, GET + text);
      assertEquals("(broken)", rest(guest));
    }
    assertEquals(GET + "(broken)", seen());
    assertEquals(1, net.hostConnections.get());
  }

  @ParameterizedTest
  @ValueSource(strings = {"b.test", "127.77.8.1", "a.test.", "a.test:x", "a.test@b.test", "[::1]"})
  void eachRequestIsCheckedForItsName(String name) throws Exception {
    listening();
    boolean dotted = name.equals("a.test.");
    String other = GET.replace("a.test", name);
    try (Socket guest = net.guest()) {
      send(guest, other);
      if (dotted) {
        guest.shutdownOutput();
        assertEquals("(end)", rest(guest));
        assertEquals(other + "(end)", seen());
        return;
      }
      String answer = rest(guest);
      assertTrue(answer.startsWith("HTTP/1.1 403 Forbidden\r\n"), answer);
    }
    assertEquals(0, net.hostConnections.get());
    try (Socket guest = net.guest()) {
      send(guest, GET + GET.replace("a.test", "c.test") + other + GET);
      assertEquals("(broken)", rest(guest));
    }
    assertEquals(GET + GET.replace("a.test", "c.test") + "(broken)", seen());
  }

  @Test
  void whatCannotBeReachedIsSaid() throws Exception {
    net.wanted(ProxyHarness.ELSEWHERE, 1);
    try (Socket guest = net.guest()) {
      send(guest, GET);
      String answer = rest(guest);
      assertTrue(answer.startsWith("HTTP/1.1 502 Bad Gateway\r\n"), answer);
      assertTrue(answer.contains("a.test"), answer);
    }
    for (String method : List.of("GET", "HEAD")) {
      try (Socket guest = net.guest()) {
        send(guest, method + " / HTTP/1.1\r\nHost: never.test\r\n\r\n");
        String answer = rest(guest);
        assertTrue(answer.startsWith("HTTP/1.1 403 Forbidden\r\n"), answer);
        assertEquals(method.equals("HEAD"), answer.endsWith("\r\n\r\n(end)"), answer);
      }
    }
  }
}
