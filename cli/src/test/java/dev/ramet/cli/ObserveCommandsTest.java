// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Tests {@code logs} and {@code top}. */
final class ObserveCommandsTest {
  @AutoClose private final FakeHost host = new FakeHost();

  private static String line(String source, int end, String text, String more) {
    return """
        {"timestamp":"2026-01-01T00:00:00Z","message":"%s","level":"info",\
        "fields":{"source":"%s","end":"%d"%s}}\
        """
        .formatted(text, source, end, more);
  }

  private static String logs(String... lines) {
    return "{\"logs\":[],\"logEntries\":[" + String.join(",", lines) + "]}";
  }

  @Test
  void allLogsSayTheirSource() {
    host.on(
        "/sandboxes/a/logs", 200, logs(line("console", 5, "k", ""), line("container", 2, "c", "")));
    assertEquals("console   | k\ncontainer | c\n", host.run("sandbox", "logs", "a").out());
    assertEquals(
        "2026-01-01T00:00:00Z c\n",
        host.run("sandbox", "logs", "a", "-t", "--tail", "1", "--source", "container").out());
    assertEquals("/sandboxes/a/logs?source=container", host.requests.get(1).uri());
  }

  @Test
  void followedLinesAppearOnceAndWhole() {
    AtomicInteger asked = new AtomicInteger();
    String[] answers = {
      logs(line("console", 2, "a", ""), line("console", 4, "be", ",\"partial\":\"true\"")),
      logs(line("console", 2, "a", ""), line("console", 6, "begun", "")),
      logs(line("console", 3, "new", "")),
    };
    host.on(
        "/sandboxes/a/logs",
        (exchange, body) -> {
          int at = asked.getAndIncrement();
          if (at < answers.length) {
            FakeHost.answer(exchange, 200, answers[at]);
          } else {
            FakeHost.answer(exchange, 404, Answers.error(404, "NOT_FOUND", "none", ""));
          }
        });
    FakeHost.Outcome done = host.run("sandbox", "logs", "a", "-f", "--source", "console");
    assertEquals("a\nbegun\nnew\n", done.out());
    assertEquals(0, done.status(), done.err());
    assertTrue(done.err().contains("has ended"), done.err());
  }

  @Test
  void topPrintsOneTableForScripts() {
    host.on(
        "/sandboxes/stats",
        200,
        """
        [{"sandboxID":"a","alias":"micro","state":"running","timestamp":"2026-01-01T00:00:00Z",\
        "cpuCount":1,"memoryMB":256,"usage":{"cpuSeconds":1,"memoryOwnBytes":1048576,\
        "memorySharedBytes":0,"diskReadBytes":0,"diskWrittenBytes":0}}]\
        """);
    FakeHost.Outcome done = host.run("top", "a", "--once");
    assertEquals(0, done.status(), done.err());
    assertTrue(done.out().contains("OWN MEM"), done.out());
    assertTrue(done.out().contains("1 MiB"), done.out());
    assertEquals("/sandboxes/stats?sandboxID=a", host.requests.get(0).uri());
    assertTrue(host.run("top", "--once", "--json").out().startsWith("[{\"sandboxID\""));
  }
}
