// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.server.settings.Guest;
import dev.ramet.server.settings.Guest.Http.Head;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that the streams of a connection are independent: their speed, their end, and their
 * refusals.
 */
@Timeout(900)
class Http2StreamsTest {
  private static final int MIB = 1024 * 1024;
  private static final long LARGE = 100L * MIB;
  private static final long FEW = 24L * MIB;

  /** Shared by all tests, so that the certificate is issued once. */
  @TempDir private static Path root;

  private TlsHost tls;
  private HttpClient client;

  @BeforeEach
  void start() throws Exception {
    tls = new TlsHost(root, Map.of());
    client = tls.client(HttpClient.Version.HTTP_2);
  }

  @AfterEach
  void close() {
    tls.close();
  }

  private static Guest answering(CountDownLatch go) throws IOException {
    return new Guest(
        http -> {
          for (Head head = http.head(); head != null; head = http.head()) {
            StreamingTest.await(go);
            String text = "" + http.skipBody(head);
            http.send("HTTP/1.1 200 OK\r\nContent-Length: " + text.length() + "\r\n\r\n" + text);
          }
        });
  }

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
  void aLargeUploadWaitsForItsGuestAndIsNotKept() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    try (Guest guest = answering(go)) {
      AtomicLong sent = new AtomicLong();
      long before = StreamingTest.bufferBytes();
      InputStream zeros =
          new InputStream() {
            @Override
            public int read() {
              return read(new byte[1], 0, 1) < 0 ? -1 : 0;
            }

            @Override
            public int read(byte[] buffer, int offset, int length) {
              int n = (int) Math.min(length, LARGE - sent.get());
              sent.addAndGet(n);
              return n == 0 ? -1 : n;
            }
          };
      CompletableFuture<HttpResponse<String>> answer =
          client.sendAsync(
              tls.request("/files")
                  .header("E2b-Sandbox-Id", tls.sandbox(guest))
                  .POST(BodyPublishers.ofInputStream(() -> zeros))
                  .build(),
              BodyHandlers.ofString());
      assertThrows(
          java.util.concurrent.TimeoutException.class, () -> answer.get(1, TimeUnit.SECONDS));
      assertTrue(sent.get() < LARGE / 2, "sent " + sent);
      assertTrue(StreamingTest.bufferBytes() - before < FEW);
      go.countDown();
      long most = 0;
      while (!answer.isDone()) {
        most = Math.max(most, StreamingTest.bufferBytes() - before);
        Thread.sleep(5);
      }
      assertEquals(Long.toString(LARGE), answer.get().body());
      assertTrue(most < FEW, "buffers grew by " + most);
    }
  }

  @Test
  void aLargeDownloadWaitsForItsClientAndIsNotKept() throws Exception {
    CountDownLatch sent = new CountDownLatch(1);
    try (Guest guest =
        new Guest(
            http -> {
              http.needHead();
              http.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
              byte[] chunk = new byte[MIB];
              for (int i = 0; i < LARGE / MIB; i++) {
                http.send("100000\r\n");
                http.out.write(chunk);
                http.send("\r\n");
              }
              http.send("0\r\n\r\n");
              sent.countDown();
            })) {
      long before = StreamingTest.bufferBytes();
      HttpResponse<InputStream> answer =
          client.send(
              tls.request("/files").header("E2b-Sandbox-Id", tls.sandbox(guest)).build(),
              BodyHandlers.ofInputStream());
      try (InputStream body = answer.body()) {
        assertTrue(!sent.await(1, TimeUnit.SECONDS), "100 MiB went nowhere");
        assertTrue(StreamingTest.bufferBytes() - before < FEW);
        // A stream that is not read must not block the others.
        assertEquals(200, tls.send(client, tls.request("/health")).statusCode());
        long read = 0;
        long most = 0;
        byte[] buffer = new byte[MIB];
        for (int n = body.read(buffer); n >= 0; n = body.read(buffer)) {
          read += n;
          most = Math.max(most, StreamingTest.bufferBytes() - before);
        }
        assertEquals(LARGE, read);
        assertTrue(most < FEW, "buffers grew by " + most);
      }
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
      ProxyTest.awaitNoneOpen(guest);
      assertTrue(raw.isOpen());
    }
  }

  @Test
  void interimAnswersArePassed() throws Exception {
    try (Guest guest =
            new Guest(
                http -> {
                  http.needHead();
                  http.send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n");
                  http.send("HTTP/1.1 204 No Content\r\n\r\n");
                });
        RawHttp2 raw = new RawHttp2(tls)) {
      RawHttp2.Stream stream =
          raw.send(true, "GET", "localhost", "/", "e2b-sandbox-id", tls.sandbox(guest));
      assertEquals("103", stream.next());
      assertEquals("204", stream.next());
      assertEquals("end", stream.next());
    }
  }

  /** Characters that HTTP/1.1 would take for a line end or another request. */
  @Test
  void nothingIsSmuggledIntoAGuest() throws Exception {
    try (Guest guest = answering(new CountDownLatch(0));
        RawHttp2 raw = new RawHttp2(tls)) {
      String id = tls.sandbox(guest);
      String evil = " HTTP/1.1\r\nHost: x\r\n\r\nGET /init";
      int number = 0;
      for (RawHttp2.Stream stream :
          new RawHttp2.Stream[] {
            raw.send(true, "GET", "localhost", "/a" + evil, "e2b-sandbox-id", id),
            raw.send(true, "GET /" + evil, "localhost", "/", "e2b-sandbox-id", id),
            raw.send(true, "GET", "localhost", "/", "e2b-sandbox-id", id, "x", "1\r\nY: 2"),
            raw.send(true, "GET", "localhost", "/", "e2b-sandbox-id", id, "x\r\ny", "1"),
            raw.send(true, "GET", "localhost", "/", "e2b-sandbox-id", id, "host", "other"),
            raw.send(true, "GET", "localhost", "/", "e2b-sandbox-id", id, "transfer-encoding", "x"),
            raw.send(true, "GET", "localhost", "/", "e2b-sandbox-id", id, "connection", "x-y"),
            raw.send(true, "GET", "localhost", "/", "e2b-sandbox-id", id, "upgrade", "websocket"),
            raw.send(true, "CONNECT", "localhost", "/", "e2b-sandbox-id", id),
          }) {
        String first = stream.next();
        assertTrue(first.equals("400") || first.startsWith("reset"), number + ": " + first);
        number++;
      }
      RawHttp2.Stream longer =
          raw.send(false, "POST", "localhost", "/", "e2b-sandbox-id", id, "content-length", "2");
      longer.data("more than two", true);
      assertTrue(longer.next().startsWith("reset"));
      assertTrue(raw.isOpen());
      ProxyTest.awaitNoneOpen(guest);
    }
  }
}
