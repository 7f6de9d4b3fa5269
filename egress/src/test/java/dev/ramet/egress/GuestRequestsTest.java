// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.InputStream;
import java.net.Socket;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;

/** Requests as guests send them, to hosts that see what became of them. */
final class GuestRequestsTest extends GuestRequestsGround {
  private Socket plainGuest(ProxyHarness.Script script) throws Exception {
    net.proxy(rules, "a.test");
    net.host(script);
    return net.guest();
  }

  private HttpText next() throws InterruptedException {
    HttpText head = seen.poll(60, TimeUnit.SECONDS);
    assertNotNull(head, () -> "no request came: " + net.troubles);
    return head;
  }

  @Test
  void putsHeadersIntoRequestsOfTlsWithTheValueOfTheMoment() throws Exception {
    net.proxy(rules, "a.test");
    net.tlsHost(this::echo);
    try (SSLSocket guest = net.tlsGuest(authority.pem(), "h2", "http/1.1")) {
      assertEquals("http/1.1", guest.getApplicationProtocol());
      ProxyHarness.send(guest, GET + "x-api-key: mine\r\nX_Api_Key: odd\r\nAccept: */*\r\n\r\n");
      assertEquals("200", answer(guest));
      HttpText first = next();
      assertEquals("/a?b", first.target());
      assertEquals(List.of("k v1"), first.values("X-Api-Key"));
      assertEquals(List.of("odd"), first.values("X_Api_Key"));
      assertEquals(List.of("two"), first.values("X-Two"));
      assertEquals(List.of("*/*"), first.values("Accept"));
      assertEquals(List.of("a.test"), first.values("Host"));

      secrets.put("key", "v2");
      ProxyHarness.send(guest, GET + "\r\n");
      assertEquals("200", answer(guest));
      assertEquals(List.of("k v2"), next().values("X-Api-Key"));
      assertEquals(1, net.hostConnections.get(), "a connection for both");

      secrets.delete("key");
      ProxyHarness.send(guest, GET + "\r\n");
      String gone = answer(guest);
      assertTrue(gone.startsWith("502 "), gone);
      assertTrue(gone.contains("key") && gone.contains("deleted"), gone);
      assertFalse(gone.contains("v2"), gone);
      assertNull(seen.poll());
    }
  }

  @Test
  void passesBodiesOn() throws Exception {
    try (Socket guest = plainGuest(this::echo)) {
      ProxyHarness.send(
          guest, "POST / HTTP/1.1\r\nHost: A.test:80\r\nContent-Length: 5\r\n\r\nhello");
      assertEquals("200 hello", answer(guest));
      assertEquals(List.of("k v1"), next().values("X-Api-Key"));

      ProxyHarness.send(
          guest,
          "POST / HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
      assertEquals(List.of("chunked"), next().values("Transfer-Encoding"));
      ProxyHarness.send(guest, "2;x=y\r\nde\r\n0\r\n\r\n");
      assertTrue(answer(guest).startsWith("200 "));

      ProxyHarness.send(
          guest,
          "PUT / HTTP/1.1\r\nHost: a.test\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
      assertEquals(100, Objects.requireNonNull(HttpText.read(guest.getInputStream())).status());
      ProxyHarness.send(guest, "ok");
      assertEquals("200 ok", answer(guest));
      ProxyHarness.send(guest, "HEAD / HTTP/1.0\r\nHost: a.test\r\n\r\n");
      HttpText head = Objects.requireNonNull(HttpText.read(guest.getInputStream()));
      assertEquals(200, head.status());
      assertEquals(List.of(), head.values("Alt-Svc"));
      assertEquals(-1, guest.getInputStream().read(), "HTTP/1.0 ends with the answer");
    }
  }

  @Test
  void answersComeAsTheyAreMade() throws Exception {
    CountDownLatch read = new CountDownLatch(1);
    ProxyHarness.Script slow =
        socket -> {
          seen.add(HttpText.read(socket.getInputStream()));
          ProxyHarness.send(
              socket, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n");
          assertTrue(read.await(60, TimeUnit.SECONDS));
          ProxyHarness.send(socket, "4\r\nlast\r\n0\r\n\r\n");
          socket.getInputStream().read();
        };
    try (Socket guest = plainGuest(slow)) {
      ProxyHarness.send(guest, GET + "\r\n");
      InputStream in = guest.getInputStream();
      assertEquals(200, Objects.requireNonNull(HttpText.read(in)).status());
      assertEquals("5\r\nfirst\r\n", ProxyHarness.read(guest, 10));
      read.countDown();
      assertEquals("4\r\nlast\r\n0\r\n\r\n", ProxyHarness.read(guest, 14));
    }
  }

  @Test
  void aHostMayAnswerBeforeItHasAll() throws Exception {
    ProxyHarness.Script early =
        socket -> {
          seen.add(HttpText.read(socket.getInputStream()));
          ProxyHarness.send(
              socket, "HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
          socket.getInputStream().read();
        };
    try (Socket guest = plainGuest(early)) {
      ProxyHarness.send(guest, "POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 5\r\n\r\nh");
      assertEquals("413", answer(guest));
    }
  }

  @Test
  void passesWebSocketsAndNoOtherProtocols() throws Exception {
    ProxyHarness.Script upgrading =
        socket -> {
          HttpText head = Objects.requireNonNull(HttpText.read(socket.getInputStream()));
          seen.add(head);
          if (head.values("Upgrade").isEmpty()) {
            ProxyHarness.send(socket, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
            head = Objects.requireNonNull(HttpText.read(socket.getInputStream()));
            seen.add(head);
          }
          ProxyHarness.send(
              socket,
              "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection:"
                  + " Upgrade\r\n\r\n");
          ProxyHarness.send(socket, "to you");
          seen.add(new HttpText(List.of("WS", ProxyHarness.read(socket, 5)), List.of()));
          ProxyHarness.send(socket, "!" + ProxyHarness.read(socket, 1));
        };
    net.proxy(rules, "a.test");
    net.tlsHost(upgrading);
    try (SSLSocket guest = net.tlsGuest(authority.pem())) {
      ProxyHarness.send(guest, GET + "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n\r\n");
      assertEquals("200", answer(guest));
      assertEquals(List.of(), next().values("Upgrade"));
      ProxyHarness.send(
          guest, GET + "Connection: keep-alive, Upgrade\r\nUpgrade: WebSocket\r\n\r\n");
      assertEquals(101, Objects.requireNonNull(HttpText.read(guest.getInputStream())).status());
      HttpText asked = next();
      assertEquals(List.of("websocket"), asked.values("Upgrade"));
      assertEquals(List.of("k v1"), asked.values("X-Api-Key"));
      assertEquals("to you", ProxyHarness.read(guest, 6));
      ProxyHarness.send(guest, "to me");
      assertEquals("to me", next().target());
      ProxyHarness.send(guest, "?");
      assertEquals("!?", ProxyHarness.read(guest, 2));
      assertEquals(-1, guest.getInputStream().read());
    }
  }

  @Test
  void refusesWhatCouldCarryHeadersElsewhere() throws Exception {
    for (List<String> one :
        List.of(
            List.of("421", "GET / HTTP/1.1\r\nHost: other.test\r\n\r\n"),
            List.of("421", "GET / HTTP/1.1\r\nHost: 10.0.0.1\r\n\r\n"),
            List.of("400", "GET / HTTP/1.1\r\n\r\n"),
            List.of("400", "GET / HTTP/1.1\r\nHost: a.test\r\nHost: a.test\r\n\r\n"),
            List.of("400", "GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n"),
            List.of("405", "TRACE / HTTP/1.1\r\nHost: a.test\r\n\r\n"),
            List.of("405", "CONNECT a.test:443 HTTP/1.1\r\nHost: a.test\r\n\r\n"),
            List.of("400", "GET / HTTP/1.1\nHost: a.test\n\n"),
            List.of("400", GET + "X: a\r\n X-Api-Key: b\r\n\r\n"),
            List.of("400", GET + "X-Api-Key : b\r\n\r\n"),
            List.of("400", GET + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n"),
            List.of("400", GET + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"),
            List.of("400", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"))) {
      try (Socket guest = plainGuest(this::echo)) {
        ProxyHarness.send(guest, GET + "\r\n" + one.get(1));
        assertEquals("200", answer(guest));
        assertNotNull(next());
        String answer = answer(guest);
        assertTrue(answer.startsWith(one.get(0)), one.get(1) + answer);
      }
    }
    try (Socket guest = plainGuest(this::echo)) {
      ProxyHarness.send(guest, GET + "\r\n");
      assertEquals("200", answer(guest));
      assertNotNull(next());
      ProxyHarness.send(guest, "GET / HTTP/1.1\r\nHost: other.test\r\n\r\n");
      assertTrue(answer(guest).startsWith("421"), "and so are later ones");
    }
    assertNull(seen.poll());
  }

  @Test
  void asksAgainWhereTheHostHasClosedWhatIdled() throws Exception {
    ProxyHarness.Script once =
        socket -> {
          seen.add(HttpText.read(socket.getInputStream()));
          ProxyHarness.send(socket, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
        };
    try (Socket guest = plainGuest(once)) {
      for (int i = 1; i <= 3; i++) {
        ProxyHarness.send(guest, GET + "\r\n");
        assertEquals("200", answer(guest));
        assertNotNull(next());
        assertEquals(i, net.hostConnections.get());
      }
    }
  }
}
