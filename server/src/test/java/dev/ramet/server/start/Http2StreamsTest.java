// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.server.settings.Guest;
import java.io.InputStream;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/**
 * Tests that the streams of a connection are independent: their speed, their end, and their
 * refusals.
 */
final class Http2StreamsTest extends Http2Ground {
  private static final int MIB = 1024 * 1024;
  private static final long LARGE = 100L * MIB;
  private static final long FEW = 24L * MIB;

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
      ProxyGround.awaitNoneOpen(guest);
    }
  }
}
