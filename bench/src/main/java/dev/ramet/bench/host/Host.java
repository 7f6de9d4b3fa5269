// SPDX-License-Identifier: Apache-2.0
package dev.ramet.bench.host;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** An installed host that can be stopped and started again. Used by one thread. */
public final class Host implements AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofMinutes(3);
  private static final int POLL_MILLIS = 2;
  private static final byte[] HEALTH =
      "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
          .getBytes(StandardCharsets.US_ASCII);

  private final Settings settings;
  private @Nullable Process process;
  private @Nullable Api api;

  public Host(Settings settings) {
    this.settings = settings;
  }

  /**
   * Measurements of a start.
   *
   * @param firstAnswerMs from the start of the process to the first 200 of {@code /health}
   * @param residentMib resident memory at that moment
   * @param readyMs from the start of the process to the engine's first response
   */
  public record Start(double firstAnswerMs, double residentMib, double readyMs) {}

  /**
   * Starts the host and waits until it accepts requests.
   *
   * @param properties {@code name=value} of its configuration, in addition to the defaults
   */
  public Start start(String... properties) throws IOException, InterruptedException {
    int port = freePort();
    List<String> command = new ArrayList<>();
    command.addAll(
        List.of(
            settings.launcher().toString(),
            "serve",
            "--port",
            Integer.toString(port),
            "--data-root",
            settings.dataRoot().toString(),
            "--set",
            "ramet.cache-dir=" + settings.cache(),
            // Authentication is not measured, and results stay comparable with older versions.
            "--set",
            "ramet.auth=OFF"));
    for (String property : properties) {
      command.addAll(List.of("--set", property));
    }
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(settings.hostLog().toFile()));
    long begin = System.nanoTime();
    Process started = builder.start();
    process = started;
    // If this process cannot stop the host, the script does, using this file.
    Files.writeString(settings.hostPid(), Long.toString(started.pid()));
    while (!healthy(port)) {
      if (!started.isAlive()) {
        throw new IOException("the host ended at once:\n" + Files.readString(settings.hostLog()));
      }
      if (System.nanoTime() - begin > TIMEOUT.toNanos()) {
        throw new IOException("the host did not answer:\n" + Files.readString(settings.hostLog()));
      }
      Thread.sleep(POLL_MILLIS);
    }
    double firstAnswerMs = millisSince(begin);
    double residentMib = Procfs.status(started.pid(), "VmRSS") / 1024.0;
    Api fresh = new Api(port);
    fresh.sandboxes();
    api = fresh;
    return new Start(firstAnswerMs, residentMib, millisSince(begin));
  }

  /** Returns the API of the running host. */
  public Api api() {
    Api current = api;
    if (current == null) {
      throw new IllegalStateException("the host does not run");
    }
    return current;
  }

  /** Returns the process id of the running host. */
  public long pid() {
    Process running = process;
    if (running == null) {
      throw new IllegalStateException("the host does not run");
    }
    return running.pid();
  }

  /** Stops the host; sandboxes keep running. Idempotent. */
  public void stop() throws IOException, InterruptedException {
    Process running = process;
    if (running == null) {
      return;
    }
    running.destroy();
    if (!running.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
      running.destroyForcibly().waitFor();
    }
    process = null;
    api = null;
    Files.deleteIfExists(settings.hostPid());
  }

  @Override
  public void close() throws IOException {
    try {
      stop();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  public static double millisSince(long begin) {
    return (System.nanoTime() - begin) / 1e6;
  }

  private static int freePort() throws IOException {
    try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return probe.getLocalPort();
    }
  }

  /**
   * Checks with a plain socket, so that the first response is not measured together with the start
   * of an HTTP client.
   */
  private static boolean healthy(int port) {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
      socket.setSoTimeout(5000);
      socket.getOutputStream().write(HEALTH);
      String answer = new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII);
      return answer.endsWith(" 200");
    } catch (IOException e) {
      return false;
    }
  }
}
