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
import org.junit.jupiter.params.provider.ValueSource;

/** Checks that bodies of requests with a secret pass whole or look cut off. */
final class InjectedBodiesTest extends InjectedGround {
  private static final String POST = "POST / HTTP/1.1\r\nHost: a.test\r\n";

  static List<String> bodies() {
    return Heads.BAD_CHUNKS;
  }

  @ParameterizedTest
  @MethodSource("bodies")
  void aBrokenChunkNeverLooksLikeAWholeBody(String body) throws Exception {
    listening();
    try (Socket guest = net.guest()) {
      send(guest, POST + "Transfer-Encoding: chunked\r\n\r\n" + body);
      String got = seen();
      assertTrue(got.startsWith(POST), got);
      assertFalse(got.contains("\r\n0\r\n"), got);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Content-Length: 10\r\n\r\nhello",
        "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
        "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n"
      })
  void aGuestThatEndsEarlyNeverLooksFinished(String rest) throws Exception {
    listening();
    try (Socket guest = net.guest()) {
      send(guest, POST + rest);
      guest.shutdownOutput();
      String got = seen();
      assertTrue(got.contains("hello"), got);
      assertFalse(got.contains("\r\n0\r\n"), got);
      // An answer that says so, or the end; but none of a host.
      assertFalse(rest(guest).startsWith("HTTP/1.1 200"));
    }
  }

  @Test
  void aRequestWithABodyIsNotSentTwice() throws Exception {
    net.host(
        socket -> {
          for (int i = 0; i < 1; i++) {
            seen.add(head(socket));
            send(socket, OK);
          }
          seen.add(head(socket));
        });
    try (Socket guest = net.guest()) {
      send(guest, GET);
      assertEquals(OK, read(guest, OK.length()));
      send(guest, POST + "Content-Length: 2\r\n\r\nok");
      assertTrue(rest(guest).startsWith("HTTP/1.1 502 "));
    }
    assertTrue(seen().startsWith("GET"));
    assertTrue(seen().startsWith("POST"));
    assertEquals(1, net.hostConnections.get());
  }

  @Test
  void aBodyWaitsForTheHostsWord() throws Exception {
    net.host(
        socket -> {
          seen.add(head(socket));
          send(socket, "HTTP/1.1 100 Continue\r\n\r\n");
          seen.add(read(socket, 2));
          send(socket, OK);
          seen.add(head(socket));
          send(socket, "HTTP/1.1 417 No\r\nContent-Length: 0\r\n\r\n");
          seen.add(rest(socket));
        });
    String asks = POST + "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n";
    try (Socket guest = net.guest()) {
      send(guest, asks);
      assertTrue(seen().contains("Expect: 100-continue\r\n"));
      assertEquals("HTTP/1.1 100 Continue\r\n\r\n", head(guest));
      send(guest, "ok");
      assertEquals("ok", seen());
      assertEquals(OK, read(guest, OK.length()));
      send(guest, asks);
      assertTrue(seen().contains("Expect: 100-continue\r\n"));
      // Nobody knows whether the body still comes, so no request may follow.
      assertEquals("HTTP/1.1 417 No\r\nContent-Length: 0\r\n\r\n(end)", rest(guest));
      String end = seen();
      assertTrue(end.equals("(end)") || end.equals("(broken)"), end);
    }
  }

  @Test
  void trailersPass() throws Exception {
    net.host(
        socket -> {
          String got = head(socket);
          while (!got.endsWith("\r\n\r\n") || !got.contains("X-Sum")) {
            got += read(socket, 1);
          }
          seen.add(got);
          send(socket, OK);
        });
    try (Socket guest = net.guest()) {
      send(guest, POST + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX-Sum: y\r\n\r\n");
      assertEquals(OK, read(guest, OK.length()));
      String got = seen();
      assertTrue(got.contains(KEY), got);
      assertTrue(got.endsWith("\r\n\r\n5\r\nhello\r\n0\r\nX-Sum: y\r\n\r\n"), got);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aGuestMayEndItsSideBeforeTheAnswer(boolean tls) throws Exception {
    ProxyHarness.Script late =
        socket -> {
          seen.add(head(socket));
          // The end of the guest arrives here, and the answer is still wanted.
          assertEquals(-1, socket.getInputStream().read());
          send(socket, OK);
        };
    if (tls) {
      net.tlsHost(late);
    } else {
      net.host(late);
    }
    try (Socket guest = tls ? net.tlsGuest(authority.pem()) : net.guest()) {
      send(guest, GET);
      guest.shutdownOutput();
      assertEquals(OK + "(end)", rest(guest));
    }
    assertTrue(seen().contains(KEY));
    assertTrue(net.troubles.isEmpty(), net.troubles.toString());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void muchPassesBothWays(boolean tls) throws Exception {
    int size = 8 << 20;
    byte[] much = new byte[size];
    new java.util.Random(7).nextBytes(much);
    ProxyHarness.Script echo =
        socket -> {
          head(socket);
          byte[] body = socket.getInputStream().readNBytes(size);
          send(socket, "HTTP/1.1 200 OK\r\nContent-Length: " + size + "\r\n\r\n");
          socket.getOutputStream().write(body);
        };
    if (tls) {
      net.tlsHost(echo);
    } else {
      net.host(echo);
    }
    try (Socket guest = tls ? net.tlsGuest(authority.pem()) : net.guest()) {
      send(guest, POST + "Content-Length: " + size + "\r\n\r\n");
      guest.getOutputStream().write(much);
      guest.getOutputStream().flush();
      assertTrue(head(guest).startsWith("HTTP/1.1 200 OK\r\n"));
      assertTrue(java.util.Arrays.equals(much, guest.getInputStream().readNBytes(size)));
    }
    assertTrue(net.troubles.isEmpty(), net.troubles.toString());
  }
}
