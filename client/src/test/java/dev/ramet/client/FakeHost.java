// SPDX-License-Identifier: Apache-2.0
package dev.ramet.client;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A fake host for one test, on a free port, which records its requests. */
final class FakeHost implements AutoCloseable {
  static final String SANDBOX =
      """
      {"sandboxID":"%s","templateID":"micro","clientID":"h","envdVersion":"0.6.13",
       "startedAt":"2026-01-01T00:00:00Z","state":"running","cpuCount":1,"memoryMB":128,
       "diskSizeMB":64,"metadata":{},"newerThanThis":{"a":[1]}}""";

  /** Answers one request. */
  interface Handler {
    void handle(HttpExchange exchange) throws Exception;
  }

  /** A recorded request. */
  record Request(String method, String uri, Headers headers, String body) {}

  final List<Request> requests = new CopyOnWriteArrayList<>();
  private final HttpServer server;
  private final ExecutorService executor = Executors.newCachedThreadPool();

  FakeHost() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(executor);
    server.start();
  }

  /** Sets the response to requests whose path begins with this one. */
  FakeHost on(String path, Handler handler) {
    server.createContext(
        path,
        exchange -> {
          try (exchange) {
            String body =
                new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            requests.add(
                new Request(
                    exchange.getRequestMethod(),
                    exchange.getRequestURI().toString(),
                    exchange.getRequestHeaders(),
                    body));
            handler.handle(exchange);
          } catch (IOException e) {
            throw e;
          } catch (Exception e) {
            throw new IOException(e);
          }
        });
    return this;
  }

  /** Sets a JSON response to requests whose path begins with this one. */
  FakeHost on(String path, int status, String json) {
    return on(path, exchange -> answer(exchange, status, json.getBytes(StandardCharsets.UTF_8)));
  }

  static void answer(HttpExchange exchange, int status, byte[] body) throws IOException {
    exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
    if (body.length > 0) {
      exchange.getResponseBody().write(body);
    }
  }

  URI uri() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  @Override
  public void close() {
    server.stop(0);
    executor.shutdownNow();
  }
}
