// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.monitor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Checks that a misbehaving monitor costs its caller no more than the deadline. */
@Timeout(900)
class QmpTest {
  private static final Duration SHORT = Duration.ofMillis(300);
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final String LAST_COMMAND = "quit";
  private static final String FLOOD_COMMAND = "flood";

  @TempDir private Path directory;

  private ServerSocketChannel listen(int backlog) throws Exception {
    ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    server.bind(UnixDomainSocketAddress.of(directory.resolve("socket")), backlog);
    return server;
  }

  private void runsIntoItsDeadline() {
    long start = System.nanoTime();
    QmpException e =
        assertThrows(
            QmpException.class,
            () -> Qmp.connect(directory.resolve("socket"), () -> true, Deadline.after(SHORT)));
    assertEquals(QmpException.Kind.TIMEOUT, e.kind());
    assertTrue(System.nanoTime() - start < 10 * SHORT.toNanos());
  }

  @Test
  void oneThatAcceptsAndNeverSpeaks() throws Exception {
    try (ServerSocketChannel server = listen(1)) {
      Thread accepting = new Thread(() -> accept(server));
      accepting.setDaemon(true);
      accepting.start();
      runsIntoItsDeadline();
    }
  }

  private static void accept(ServerSocketChannel server) {
    List<SocketChannel> kept = new ArrayList<>();
    try {
      while (kept.size() < 100) {
        kept.add(server.accept());
      }
    } catch (IOException closed) {
      // The test is over.
    }
  }

  @Test
  void oneThatTakesNobodyAnyMore() throws Exception {
    List<SocketChannel> waiting = new ArrayList<>();
    try (ServerSocketChannel server = listen(1)) {
      // Until connect(2) would block: the queue of a unix socket holds one more than its backlog.
      boolean queued = true;
      while (queued) {
        SocketChannel one = SocketChannel.open(StandardProtocolFamily.UNIX);
        waiting.add(one);
        one.configureBlocking(false);
        try {
          queued = one.connect(UnixDomainSocketAddress.of(directory.resolve("socket")));
        } catch (SocketException full) {
          queued = false;
        }
      }
      runsIntoItsDeadline();
    } finally {
      for (SocketChannel one : waiting) {
        one.close();
      }
    }
  }

  @Test
  void oneThatIsNotThere() {
    runsIntoItsDeadline();
  }

  @Test
  void answersReachWhoSleepsThoughTheReaderIsAway() throws Exception {
    try (ServerSocketChannel server = listen(1);
        Qmp qmp = connected(server)) {
      for (int i = 0; i < 3; i++) {
        qmp.deferWakeups();
        assertEquals("stop", qmp.execute("stop", Deadline.after(PATIENCE)).asText());
      }
      qmp.resumeWakeups();
      assertEquals("cont", qmp.execute("cont", Deadline.after(PATIENCE)).asText());
    }
  }

  @Test
  void theEndIsToldThoughTheReaderIsAway() throws Exception {
    try (ServerSocketChannel server = listen(1);
        Qmp qmp = connected(server)) {
      CompletableFuture<Void> ended = new CompletableFuture<>();
      qmp.whenEnded(() -> ended.complete(null));
      qmp.deferWakeups();
      QmpException e =
          assertThrows(
              QmpException.class, () -> qmp.execute(LAST_COMMAND, Deadline.after(PATIENCE)));
      assertEquals(QmpException.Kind.CLOSED, e.kind());
      ended.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  @Test
  void anAnswerThatGoesOnAndOnEndsTheConnection() throws Exception {
    try (ServerSocketChannel server = listen(1);
        Qmp qmp = connected(server)) {
      CompletableFuture<Void> ended = new CompletableFuture<>();
      qmp.whenEnded(() -> ended.complete(null));
      QmpException e =
          assertThrows(
              QmpException.class, () -> qmp.execute(FLOOD_COMMAND, Deadline.after(PATIENCE)));
      assertEquals(QmpException.Kind.CLOSED, e.kind());
      ended.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  private Qmp connected(ServerSocketChannel server) throws QmpException {
    Thread answering = new Thread(() -> answer(server));
    answering.setDaemon(true);
    answering.start();
    return Qmp.connect(directory.resolve("socket"), () -> true, Deadline.after(PATIENCE));
  }

  /** Answers each command with its own name, until the one that ends the connection. */
  private static void answer(ServerSocketChannel server) {
    try (SocketChannel one = server.accept();
        BufferedReader in = new BufferedReader(Channels.newReader(one, StandardCharsets.UTF_8));
        Writer out = Channels.newWriter(one, StandardCharsets.UTF_8)) {
      out.write("{\"QMP\": {\"capabilities\": []}}\n");
      out.flush();
      StringBuilder read = new StringBuilder();
      for (int c = in.read(); c >= 0; c = in.read()) {
        read.append((char) c);
        // A command is one object, with or without a nested one, and has no line end.
        if (read.chars().filter(b -> b == '{').count()
            == read.chars().filter(b -> b == '}').count()) {
          JsonNode command = Qmp.JSON.readTree(read.toString());
          String name = command.get("execute").asText();
          if (name.equals(LAST_COMMAND)) {
            return;
          }
          if (name.equals(FLOOD_COMMAND)) {
            out.write("x".repeat(2 * QmpReader.MAX_LINE_BYTES));
            out.flush();
          }
          ObjectNode answer = Qmp.JSON.createObjectNode();
          answer.put("return", name).set("id", command.get("id"));
          out.write(answer + "\n");
          out.flush();
          read.setLength(0);
        }
      }
    } catch (IOException closed) {
      // The test is over.
    }
  }
}
