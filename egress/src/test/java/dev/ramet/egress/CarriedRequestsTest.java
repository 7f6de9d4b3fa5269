// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress;

import static dev.ramet.egress.ProxyHarness.head;
import static dev.ramet.egress.ProxyHarness.read;
import static dev.ramet.egress.ProxyHarness.rest;
import static dev.ramet.egress.ProxyHarness.send;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.egress.proxy.RequestInterceptor;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Requests to allowed names: no host may see a request, or the end of one, that was not checked.
 */
@Timeout(900)
final class CarriedRequestsTest {
  private static final String GET = "GET / HTTP/1.1\r\nHost: a.test\r\n\r\n";
  private static final String POST = "POST / HTTP/1.1\r\nHost: a.test\r\n";

  @AutoClose private final ProxyHarness net = new ProxyHarness();
  private final BlockingQueue<String> seen = new LinkedBlockingQueue<>();

  static List<String> heads() {
    return Heads.AMBIGUOUS;
  }

  static List<String> bodies() {
    return Heads.BAD_CHUNKS;
  }

  @BeforeEach
  void start() throws Exception {
    net.proxy(RequestInterceptor.NONE, "a.test", "c.test", "never.test");
  }

  /** A host that keeps all it reads, with how it ended, and answers nothing. */
  private void listening() throws Exception {
    net.host(socket -> seen.add(rest(socket)));
  }

  private String seen() throws InterruptedException {
    return String.valueOf(seen.poll(60, TimeUnit.SECONDS));
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
          // What is under way when a connection is reset may be lost.
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
