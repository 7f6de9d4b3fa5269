// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.server.settings.Guest;
import dev.ramet.server.settings.Guest.Http.Head;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Checks what the end of a guest, a client or the host does to streams. */
final class Http2EndsTest extends Http2Ground {
  @Test
  void aHostThatStopsFinishesRequestsAndClosesConnections() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    try (Guest guest = answering(go);
        RawHttp2 idle = new RawHttp2(tls);
        RawHttp2 busy = new RawHttp2(tls)) {
      String authority = "localhost:" + tls.host.port();
      String id = tls.sandbox(guest);
      RawHttp2.Stream health = idle.send(true, "GET", authority, "/health");
      assertEquals("200", health.next());
      RawHttp2.Stream waiting =
          busy.send(true, "GET", authority, "/", "e2b-sandbox-id", id, "e2b-sandbox-port", "49983");
      while (guest.connections.get() == 0) {
        Thread.sleep(5);
      }
      CompletableFuture<Void> stopped = CompletableFuture.runAsync(tls.host::close);
      idle.awaitClosed();
      assertFalse(stopped.isDone(), "a request is in flight");
      go.countDown();
      assertEquals("200", waiting.next());
      busy.awaitClosed();
      stopped.get(10, TimeUnit.SECONDS); // less than the host allows for unfinished requests
    }
  }

  @Test
  void aGuestThatDiesResetsItsStreamAlone() throws Exception {
    CountDownLatch die = new CountDownLatch(1);
    CountDownLatch more = new CountDownLatch(1);
    try (Guest mortal =
            new Guest(
                http -> {
                  http.needHead();
                  http.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n");
                  StreamingTest.await(die);
                });
        Guest other =
            new Guest(
                http -> {
                  http.needHead();
                  http.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nb\r\n");
                  StreamingTest.await(more);
                  http.send("1\r\nc\r\n0\r\n\r\n");
                });
        RawHttp2 raw = new RawHttp2(tls)) {
      RawHttp2.Stream one =
          raw.send(true, "GET", "localhost", "/", "e2b-sandbox-id", tls.sandbox(mortal));
      RawHttp2.Stream two =
          raw.send(true, "GET", "localhost", "/", "e2b-sandbox-id", tls.sandbox(other));
      assertEquals("200", one.next());
      assertEquals("data a", one.next());
      assertEquals("200", two.next());
      assertEquals("data b", two.next());
      die.countDown();
      assertEquals("reset 2", one.next()); // INTERNAL_ERROR
      more.countDown();
      assertEquals("data c", two.next());
      assertEquals("end", two.next());
      assertTrue(raw.isOpen());
    }
  }

  @Test
  void aClientOfTheLibraryHearsOfADeath() throws Exception {
    try (Guest guest =
        new Guest(
            http -> {
              http.needHead();
              http.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhello");
            })) {
      CompletableFuture<HttpResponse<String>> answer =
          client.sendAsync(
              tls.request("/").header("E2b-Sandbox-Id", tls.sandbox(guest)).build(),
              BodyHandlers.ofString());
      ExecutionException broken =
          assertThrows(ExecutionException.class, () -> answer.get(20, TimeUnit.SECONDS));
      assertTrue(broken.getCause() instanceof IOException, "" + broken.getCause());
    }
  }

  @Test
  void aClientThatGivesUpEndsTheGuestsRequest() throws Exception {
    CountDownLatch arrived = new CountDownLatch(2);
    try (Guest guest =
            new Guest(
                http -> {
                  Head head = http.needHead();
                  arrived.countDown();
                  if (head.line().startsWith("POST")) {
                    http.skipBody(head);
                  } else {
                    http.in.read(); // the end, which is the only possible event
                  }
                });
        RawHttp2 raw = new RawHttp2(tls)) {
      String id = tls.sandbox(guest);
      RawHttp2.Stream get = raw.send(true, "GET", "localhost", "/", "e2b-sandbox-id", id);
      RawHttp2.Stream post = raw.send(false, "POST", "localhost", "/", "e2b-sandbox-id", id);
      post.data("some", false);
      assertTrue(arrived.await(10, TimeUnit.SECONDS));
      get.reset();
      post.reset();
      ProxyGround.awaitNoneOpen(guest);
      assertTrue(raw.isOpen());
    }
  }
}
