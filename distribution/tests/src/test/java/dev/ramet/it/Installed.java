// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.client.Ramet;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The installed programs: a host that serves a data root, and the command line that connects to it.
 */
final class Installed implements AutoCloseable {
  private static final Path PROGRAM =
      Path.of(System.getProperty("ramet.guest")).resolve("../../bin/ramet").normalize();

  private final Map<String, String> environment;
  private final int port;
  private final Process server;

  /** Returns the path of the launcher. */
  static Path program() {
    return PROGRAM;
  }

  /** The exit status and output of a command. */
  record Run(int status, String out, String err) {}

  private Installed(Map<String, String> environment, int port, Process server) {
    this.environment = environment;
    this.port = port;
    this.server = server;
  }

  /** Starts a host and waits until its engine is open. */
  static Installed serve(Path dataRoot, Map<String, String> settings, String... options)
      throws Exception {
    return serveBy(List.of(), dataRoot, settings, options);
  }

  /**
   * Starts a host through a program that replaces itself with the command it is given, as exec
   * does, and waits until its engine is open.
   */
  static Installed serveBy(
      List<String> starter, Path dataRoot, Map<String, String> settings, String... options)
      throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    Map<String, String> environment = new java.util.HashMap<>(settings);
    environment.put("RAMET_DATA_ROOT", dataRoot.toString());
    environment.put("RAMET_PORT", Integer.toString(port));
    // A killed host leaves its socket behind, so it is put in the data root and not among the
    // system's.
    environment.putIfAbsent("RAMET_SOCKET", dataRoot.resolve("ramet.sock").toString());
    // Tests of other features export to directories of their choice.
    environment.putIfAbsent("RAMET_EXCHANGE_DIRECTORIES", "/");
    environment.put("RAMET_CACHE_DIR", System.getProperty("ramet.cache"));
    List<String> command = new ArrayList<>(starter);
    command.addAll(List.of(PROGRAM.toString(), "serve"));
    command.addAll(List.of(options));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(new File("target/served.log")));
    builder.environment().putAll(environment);
    Installed made = new Installed(environment, port, builder.start());
    long end = System.nanoTime() + 120_000_000_000L;
    while (true) {
      assertTrue(made.server.isAlive(), "the host ended; see target/served.log");
      assertTrue(System.nanoTime() < end, "the host does not answer");
      try {
        if (made.request("GET", "/doctor", null) == 200) {
          return made;
        }
      } catch (IOException notYet) {
        Thread.sleep(100);
      }
    }
  }

  /** Sends a request and returns the status of the response. */
  int request(String method, String path, byte @Nullable [] body) throws IOException {
    HttpURLConnection connection = connect(method, path);
    if (body != null) {
      connection.setDoOutput(true);
      connection.setRequestProperty("Content-Type", "application/json");
      connection.getOutputStream().write(body);
    }
    return connection.getResponseCode();
  }

  /** Returns a connection on which nothing was sent yet. */
  HttpURLConnection connect(String method, String path) throws IOException {
    HttpURLConnection connection =
        (HttpURLConnection) URI.create("http://127.0.0.1:" + port + path).toURL().openConnection();
    connection.setRequestMethod(method);
    String key = key();
    if (key != null) {
      connection.setRequestProperty("X-API-Key", key);
    }
    return connection;
  }

  /** Returns the key of the machine's administrators, or null while the host has not made one. */
  @Nullable String key() throws IOException {
    Path file = Path.of(environment.getOrDefault("RAMET_DATA_ROOT", "")).resolve("local.key");
    return Files.exists(file) ? Files.readString(file).strip() : null;
  }

  /** Returns the environment with which commands find the host. */
  Map<String, String> environment() {
    return environment;
  }

  /** Returns a client of the Java library. */
  Ramet client() throws IOException {
    return Ramet.connect(uri(), java.util.Objects.requireNonNull(key()));
  }

  /** Returns the host's address. */
  URI uri() {
    return URI.create("http://127.0.0.1:" + port);
  }

  /** Requests a page that must exist. */
  InputStream open(String path) throws IOException {
    return connect("GET", path).getInputStream();
  }

  /** Starts the command line. */
  Process start(String... arguments) throws IOException {
    return start(environment, List.of(arguments));
  }

  private static Process start(Map<String, String> environment, List<String> arguments)
      throws IOException {
    List<String> command = new ArrayList<>(List.of(PROGRAM.toString()));
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().putAll(environment);
    return builder.start();
  }

  /** Runs the command line and waits for its exit. */
  Run run(String... arguments) throws Exception {
    return alone(environment, List.of(arguments));
  }

  /** Runs the command line without a host of this class and waits for its exit. */
  static Run alone(Map<String, String> environment, List<String> arguments) throws Exception {
    Process process = start(environment, arguments);
    process.getOutputStream().close();
    StringBuilder err = new StringBuilder();
    Thread reader =
        new Thread(
            () -> {
              try {
                err.append(
                    new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8));
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
    reader.start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertTrue(process.waitFor(3, TimeUnit.MINUTES), "it does not end");
    reader.join();
    return new Run(process.exitValue(), out, err.toString());
  }

  /** Returns the host's process. */
  Process server() {
    return server;
  }

  /** Stops the host; machines keep running. */
  @Override
  public void close() throws InterruptedException {
    server.destroy();
    if (!server.waitFor(30, TimeUnit.SECONDS)) {
      server.destroyForcibly().waitFor();
    }
  }
}
