// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests requests over a unix socket to a scripted peer. */
@Timeout(900)
class SocketConnectionTest {
  private static final String BASE = "http://127.0.0.1:3000";

  @TempDir private Path directory;

  private Path path() {
    return directory.resolve("s");
  }

  private Client client() {
    return Client.bySocket(BASE, path());
  }

  /** Responds to one request; completes with the received request. */
  private CompletableFuture<String> answering(String answer) throws IOException {
    Files.deleteIfExists(path());
    ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    server.bind(UnixDomainSocketAddress.of(path()));
    return CompletableFuture.supplyAsync(
        () -> {
          try (server;
              SocketChannel channel = server.accept()) {
            StringBuilder seen = new StringBuilder();
            ByteBuffer buffer = ByteBuffer.allocate(1 << 20);
            while (!complete(seen.toString()) && channel.read(buffer.clear()) >= 0) {
              seen.append(ISO_8859_1.decode(buffer.flip()));
            }
            if (answer.isEmpty()) {
              channel.read(buffer.clear()); // until the other side disconnects
            }
            channel.write(ByteBuffer.wrap(answer.getBytes(ISO_8859_1)));
            return seen.toString();
          } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
          }
        });
  }

  private static boolean complete(String request) {
    int end = request.indexOf("\r\n\r\n");
    if (end < 0) {
      return false;
    }
    if (request.contains("Transfer-Encoding: chunked")) {
      return request.endsWith("0\r\n\r\n");
    }
    int at = request.indexOf("Content-Length: ");
    int length =
        at < 0
            ? 0
            : Integer.parseInt(
                request.substring(at + "Content-Length: ".length(), request.indexOf("\r\n", at)));
    return request.length() >= end + 4 + length;
  }

  @Test
  void asksAndReads() throws Exception {
    CompletableFuture<String> sent =
        answering("HTTP/1.1 200 OK\r\nx-next-token: t\r\nContent-Length: 2\r\n\r\n[]more");
    ClientResponse answer = client().get("/sandboxes?limit=1");
    assertArrayEquals("[]".getBytes(ISO_8859_1), answer.body());
    assertEquals("t", answer.nextToken());
    assertTrue(sent.get().startsWith("GET /sandboxes?limit=1 HTTP/1.1\r\n"), sent.get());
    assertTrue(sent.get().contains("\r\nHost: 127.0.0.1:3000\r\n"), sent.get());
  }

  @Test
  void sendsBodiesAndReadsChunks() throws Exception {
    CompletableFuture<String> sent =
        answering(
            "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 201 Created\r\nTransfer-Encoding:"
                + " chunked\r\n\r\n3\r\n{\"a\r\n4\r\n\":1}\r\n0\r\n\r\n");
    ClientResponse answer = client().post("/sandboxes", java.util.Map.of("templateID", "micro"));
    assertEquals(201, answer.status());
    assertEquals("{\"a\":1}", new String(answer.body(), ISO_8859_1));
    assertTrue(sent.get().endsWith("\r\n\r\n{\"templateID\":\"micro\"}"), sent.get());
  }

  @Test
  void streamsWithoutAndWithALength() throws Exception {
    for (boolean chunked : new boolean[] {true, false}) {
      CompletableFuture<String> sent = answering("HTTP/1.1 204 No Content\r\n\r\n");
      HttpURLConnection connection =
          new SocketConnection(URI.create(BASE + "/files").toURL(), path());
      connection.setRequestMethod("POST");
      connection.setDoOutput(true);
      if (chunked) {
        connection.setChunkedStreamingMode(1000);
      } else {
        connection.setFixedLengthStreamingMode(5000L);
      }
      try (OutputStream out = connection.getOutputStream()) {
        out.write("x".repeat(5000).getBytes(ISO_8859_1));
      }
      assertEquals(204, connection.getResponseCode());
      assertEquals(-1, connection.getInputStream().read());
      assertEquals(
          5000,
          sent.get().substring(sent.get().indexOf("\r\n\r\n")).replaceAll("[^x]", "").length());
    }
  }

  @Test
  void errorsAreTheHosts() throws Exception {
    CompletableFuture<String> sent =
        answering(
            "HTTP/1.1 404 Not Found\r\nContent-Length: 62\r\n\r\n"
                + "{\"code\":404,\"message\":\"sandbox not found\",\"error\":\"NOT_FOUND\"}");
    RametException e = assertThrows(RametException.class, () -> client().get("/sandboxes/x"));
    assertEquals(ErrorCode.NOT_FOUND, e.code());
    assertTrue(sent.get().startsWith("GET /sandboxes/x "), sent.get());
  }

  @Test
  void aPeerThatGoesAwayOrSaysNothing() throws Exception {
    for (String broken : new String[] {"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n[]", "?"}) {
      CompletableFuture<String> sent = answering(broken);
      RametException e = assertThrows(RametException.class, () -> client().get("/"), broken);
      assertEquals(ErrorCode.UNAVAILABLE, e.code());
      assertTrue(sent.get().startsWith("GET / "), sent.get());
    }
    CompletableFuture<String> sent = answering("");
    HttpURLConnection silent = new SocketConnection(URI.create(BASE + "/").toURL(), path());
    silent.setReadTimeout(200);
    assertThrows(SocketTimeoutException.class, silent::getResponseCode);
    silent.disconnect();
    assertTrue(sent.get().startsWith("GET / "), sent.get());
  }
}
