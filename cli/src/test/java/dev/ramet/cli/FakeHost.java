// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.term.Terminal;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A fake host for one test, on a free port, which records its requests. */
final class FakeHost implements AutoCloseable {
  /** Answers one request. */
  interface Handler {
    void handle(HttpExchange exchange, byte[] body) throws IOException;
  }

  /** A recorded request. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Request(String method, String uri, Headers headers, byte[] body) {
    String text() {
      return new String(body, StandardCharsets.UTF_8);
    }
  }

  /** The result of a run of the program. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Outcome(int status, byte[] bytes, String err) {
    String out() {
      return new String(bytes, StandardCharsets.UTF_8);
    }
  }

  final List<Request> requests = new CopyOnWriteArrayList<>();
  private final HttpServer server;
  private final ExecutorService executor = Executors.newCachedThreadPool();

  FakeHost() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.setExecutor(executor);
    server.start();
  }

  /** Sets the response to requests whose path begins with this one. */
  FakeHost on(String path, Handler handler) {
    server.createContext(
        path,
        exchange -> {
          try (exchange) {
            byte[] body = exchange.getRequestBody().readAllBytes();
            requests.add(
                new Request(
                    exchange.getRequestMethod(),
                    exchange.getRequestURI().toString(),
                    exchange.getRequestHeaders(),
                    body));
            handler.handle(exchange, body);
          }
        });
    return this;
  }

  /** Takes back the response to requests whose path begins with this one. */
  void remove(String path) {
    server.removeContext(path);
  }

  /** Sets a JSON response to requests whose path begins with this one. */
  FakeHost on(String path, int status, String json) {
    return on(path, (exchange, body) -> answer(exchange, status, json));
  }

  static void answer(HttpExchange exchange, int status, String json) throws IOException {
    byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
    if (bytes.length > 0) {
      exchange.getResponseBody().write(bytes);
    }
  }

  String address() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /** Runs the program against this host. */
  Outcome run(String... args) {
    return run(new byte[0], args);
  }

  /** Runs the program against this host with a standard input. */
  Outcome run(byte[] input, String... args) {
    return run(Map.of("RAMET_SERVER", address()), input, args);
  }

  /** Runs the program for a person at a terminal who types this. */
  Outcome runAtTerminal(String typed, String... args) {
    return run(
        Map.of("RAMET_SERVER", address()),
        typed.getBytes(StandardCharsets.UTF_8),
        new Terminal(true, false, true, false),
        args);
  }

  static Outcome run(Map<String, String> environment, byte[] input, String... args) {
    return run(environment, input, Terminal.NONE, args);
  }

  private static Outcome run(
      Map<String, String> environment, byte[] input, Terminal terminal, String... args) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    Context context = new Context(new ByteArrayInputStream(input), out, err, environment, terminal);
    int status = Main.run(context, args);
    return new Outcome(status, out.toByteArray(), err.toString(StandardCharsets.UTF_8));
  }

  @Override
  public void close() {
    server.stop(0);
    executor.shutdownNow();
  }
}
