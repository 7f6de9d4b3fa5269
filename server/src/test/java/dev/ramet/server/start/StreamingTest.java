// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.server.settings.Guest;
import dev.ramet.server.settings.Guest.Http;
import dev.ramet.server.settings.Guest.Http.Head;
import dev.ramet.server.settings.TestHost;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests that bodies are streamed without being stored, and that a broken connection on one side
 * breaks the other.
 */
@Timeout(900)
class StreamingTest {
  private static final int MIB = 1024 * 1024;
  private static final long LARGE = 100L * MIB;

  private final TestHost host = new TestHost(Map.of());

  @AfterEach
  void close() {
    host.close();
  }

  private String head(Guest guest, String method) throws Exception {
    String id = host.sandbox();
    host.engine.sandboxes.endpoints.put(id + ":49983", guest.address());
    return method + " /files HTTP/1.1\r\nHost: localhost\r\nE2b-Sandbox-Id: " + id + "\r\n";
  }

  static long bufferBytes() {
    ByteBufAllocator used = ByteBufAllocator.DEFAULT;
    long bytes = 0;
    for (ByteBufAllocator allocator :
        new ByteBufAllocator[] {
          used, PooledByteBufAllocator.DEFAULT, UnpooledByteBufAllocator.DEFAULT
        }) {
      if (allocator instanceof ByteBufAllocatorMetricProvider metered) {
        bytes += metered.metric().usedDirectMemory() + metered.metric().usedHeapMemory();
      }
    }
    return bytes;
  }

  @Test
  void aLargeUploadIsNotKept() throws Exception {
    try (Guest guest =
            new Guest(
                http -> {
                  Head head = http.needHead();
                  long bytes = http.skipBody(head);
                  http.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n" + bytes);
                });
        Http client = Http.connect(host.port())) {
      long before = bufferBytes();
      long most = 0;
      client.send(head(guest, "POST") + "Transfer-Encoding: chunked\r\n\r\n");
      byte[] chunk = new byte[MIB];
      for (int i = 0; i < LARGE / MIB; i++) {
        client.send("100000\r\n");
        client.out.write(chunk);
        client.send("\r\n");
        most = Math.max(most, bufferBytes() - before);
      }
      client.send("0\r\n\r\n");
      assertEquals(Long.toString(LARGE), client.body(client.needHead()));
      assertTrue(bufferBytes() > 0, "what is measured is in use");
      assertTrue(most < 24L * MIB, "buffers grew by " + most);
    }
  }

  @Test
  void aGuestThatDoesNotReadStopsItsClient() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    try (Guest guest =
            new Guest(
                http -> {
                  Head head = http.needHead();
                  await(go);
                  http.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n" + http.skipBody(head));
                });
        Http client = Http.connect(host.port())) {
      client.send(head(guest, "POST") + "Content-Length: " + LARGE + "\r\n\r\n");
      long before = bufferBytes();
      CountDownLatch sent = new CountDownLatch(1);
      Thread sender =
          new Thread(
              () -> {
                try {
                  byte[] chunk = new byte[MIB];
                  for (int i = 0; i < LARGE / MIB; i++) {
                    client.out.write(chunk);
                  }
                  sent.countDown();
                } catch (IOException e) {
                  // the test sees that nothing was counted
                }
              });
      sender.setDaemon(true);
      sender.start();
      assertTrue(!sent.await(1, TimeUnit.SECONDS), "100 MiB went nowhere");
      assertTrue(bufferBytes() - before < 24L * MIB);
      go.countDown();
      assertTrue(sent.await(30, TimeUnit.SECONDS));
      assertEquals(Long.toString(LARGE), client.body(client.needHead()));
    }
  }

  @Test
  void aClientThatDoesNotReadStopsItsGuest() throws Exception {
    CountDownLatch sent = new CountDownLatch(1);
    try (Guest guest =
            new Guest(
                http -> {
                  http.needHead();
                  http.send("HTTP/1.1 200 OK\r\nContent-Length: " + LARGE + "\r\n\r\n");
                  byte[] chunk = new byte[MIB];
                  for (int i = 0; i < LARGE / MIB; i++) {
                    http.out.write(chunk);
                  }
                  sent.countDown();
                });
        Http client = Http.connect(host.port())) {
      long before = bufferBytes();
      client.send(head(guest, "GET") + "\r\n");
      Head head = client.needHead();
      assertTrue(!sent.await(1, TimeUnit.SECONDS), "100 MiB went nowhere");
      assertTrue(bufferBytes() - before < 24L * MIB);
      assertEquals(LARGE, client.skipBody(head));
    }
  }

  @Test
  void eachPieceIsPassedOnAtOnce() throws Exception {
    CountDownLatch more = new CountDownLatch(1);
    try (Guest guest =
            new Guest(
                http -> {
                  http.needHead();
                  http.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n");
                  await(more);
                  http.send("1\r\nb\r\n0\r\n\r\n");
                });
        Http client = Http.connect(host.port())) {
      client.send(head(guest, "GET") + "\r\n");
      client.needHead();
      assertEquals("1", client.line());
      assertEquals("a", client.line());
      more.countDown();
      assertEquals("1", client.line());
      assertEquals("b", client.line());
    }
  }

  @Test
  void aGuestThatDiesWithinItsAnswerResetsTheClient() throws Exception {
    for (String framing : new String[] {"Transfer-Encoding: chunked", "Content-Length: 1000"}) {
      try (Guest guest =
              new Guest(
                  http -> {
                    http.needHead();
                    http.send("HTTP/1.1 200 OK\r\n" + framing + "\r\n\r\n5\r\nhello\r\n");
                  });
          Http client = Http.connect(host.port())) {
        client.send(head(guest, "GET") + "\r\n");
        Head head = client.needHead();
        IOException broken = assertThrows(IOException.class, () -> client.skipBody(head));
        assertTrue(!(broken instanceof SocketTimeoutException), framing);
      }
    }
  }

  @Test
  void aClientThatLeavesEndsTheGuestsRequest() throws Exception {
    CountDownLatch arrived = new CountDownLatch(1);
    try (Guest guest =
        new Guest(
            http -> {
              http.needHead();
              arrived.countDown();
              http.in.read(); // the end, which is the only possible event
            })) {
      try (Http client = Http.connect(host.port())) {
        client.send(head(guest, "GET") + "\r\n");
        assertTrue(arrived.await(10, TimeUnit.SECONDS));
      }
      ProxyGround.awaitNoneOpen(guest);
    }
  }

  @Test
  void aClientThatLeavesWithinItsUploadEndsTheGuestsRequest() throws Exception {
    CountDownLatch arrived = new CountDownLatch(1);
    try (Guest guest =
        new Guest(
            http -> {
              Head head = http.needHead();
              arrived.countDown();
              http.skipBody(head);
            })) {
      try (Http client = Http.connect(host.port())) {
        client.send(head(guest, "POST") + "Content-Length: 1000\r\n\r\nabc");
        assertTrue(arrived.await(10, TimeUnit.SECONDS));
      }
      ProxyGround.awaitNoneOpen(guest);
    }
  }

  static void await(CountDownLatch latch) throws IOException {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }
}
