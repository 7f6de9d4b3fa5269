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

/** Checks that bodies and answers pass whole or look cut off. */
final class CarriedBodiesTest extends CarriedGround {
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
      assertEquals("(broken)", rest(guest));
    }
    String got = seen();
    assertTrue(got.startsWith(POST), got);
    assertTrue(got.endsWith("(broken)"), got);
    assertFalse(got.contains("\r\n0\r\n\r\n"), got);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Content-Length: 10\r\n\r\nhello",
        "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
        "Transfer-Encoding: chunked\r\n\r\n5\r\nhel",
        "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n",
        "X: y\r\n"
      })
  void aGuestThatEndsEarlyNeverLooksFinished(String rest) throws Exception {
    listening();
    try (Socket guest = net.guest()) {
      send(guest, GET + POST + rest);
      guest.shutdownOutput();
      assertEquals("(broken)", rest(guest));
    }
    String got = seen();
    assertTrue(got.startsWith(GET), got);
    assertTrue(got.endsWith("(broken)"), got);
    assertFalse(got.contains("\r\n0\r\n\r\n"), got);
  }

  @Test
  void bodiesPassWholeAndRequestsFollowThem() throws Exception {
    listening();
    String sized = POST + "Content-Length: 5\r\n\r\nhello";
    String old = "POST / HTTP/1.0\r\nHost: a.test\r\nContent-Length: 2\r\n\r\nok";
    String empty = POST + "Content-Length: 0\r\n\r\n";
    String all = "OPTIONS * HTTP/1.1\r\nHost: a.test\r\n\r\n";
    try (Socket guest = net.guest()) {
      send(guest, sized + old + empty + all + GET);
      guest.shutdownOutput();
      assertEquals("(end)", rest(guest));
    }
    assertEquals(sized + old + empty + all + GET + "(end)", seen());
  }

  @Test
  void chunksAndTrailersPass() throws Exception {
    listening();
    String head = POST + "Transfer-Encoding: chunked\r\n\r\n";
    try (Socket guest = net.guest()) {
      send(guest, head + "5\r\nhello\r\nA\r\n0123456789\r\n0\r\nX-Sum: y\r\n\r\n" + GET);
      guest.shutdownOutput();
      assertEquals("(end)", rest(guest));
    }
    String got = seen();
    assertTrue(got.startsWith(head), got);
    assertTrue(got.replaceAll("\r\n[0-9a-fA-F]+\r\n", "").contains("hello0123456789"), got);
    assertTrue(got.endsWith("0\r\nX-Sum: y\r\n\r\n" + GET + "(end)"), got);
  }

  @Test
  void partsOfABodyPassBeforeItsEnd() throws Exception {
    net.host(
        socket -> {
          seen.add(head(socket));
          String part = "";
          while (!part.endsWith("hel")) {
            part += read(socket, 1);
          }
          send(socket, "HTTP/1.1 100 Continue\r\n\r\n");
          seen.add(rest(socket));
        });
    try (Socket guest = net.guest()) {
      send(guest, POST + "Expect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n");
      assertTrue(seen().contains("Expect: 100-continue\r\n"));
      send(guest, "5\r\nhel");
      assertEquals("HTTP/1.1 100 Continue\r\n\r\n", head(guest));
      send(guest, "lo\r\n0\r\n\r\n");
      guest.shutdownOutput();
      assertEquals("(end)", rest(guest));
      assertTrue(seen().contains("lo\r\n0\r\n\r\n"));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello",
        "HTTP/1.1 204 No Content\r\n\r\n",
        "HTTP/1.1 304 Not Modified\r\nContent-Length: 10\r\n\r\n",
        "HTTP/1.0 200 OK\r\n\r\nall",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
        "no HTTP at all"
      })
  void answersAreTheHostsOwn(String answer) throws Exception {
    net.host(
        socket -> {
          head(socket);
          send(socket, answer);
        });
    try (Socket guest = net.guest()) {
      send(guest, GET);
      assertEquals(answer + "(end)", rest(guest));
    }
    net.host(
        socket -> {
          head(socket);
          send(socket, answer);
          socket.setSoLinger(true, 0);
          // Data in flight may be lost when a connection is reset.
          Thread.sleep(300);
        });
    try (Socket guest = net.guest()) {
      send(guest, GET);
      assertEquals(answer + "(broken)", rest(guest));
    }
  }

  @Test
  void eachSideMayEndBeforeTheOther() throws Exception {
    net.host(
        socket -> {
          seen.add(rest(socket));
          send(socket, "late");
        });
    try (Socket guest = net.guest()) {
      send(guest, GET);
      guest.shutdownOutput();
      assertEquals("late(end)", rest(guest));
    }
    assertEquals(GET + "(end)", seen());
    net.host(
        socket -> {
          send(socket, "early");
          socket.shutdownOutput();
          seen.add(rest(socket));
        });
    try (Socket guest = net.guest()) {
      send(guest, GET);
      assertEquals("early(end)", rest(guest));
      send(guest, GET);
      guest.shutdownOutput();
      assertEquals(GET + GET + "(end)", seen());
    }
  }
}
