// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Tests the commands for operations. */
final class OperationCommandsTest {
  private static final String RUNNING =
      "{\"operationID\":\"op-1\",\"kind\":\"template.build\",\"subject\":\"micro\","
          + "\"state\":\"running\",\"startedAt\":\"2026-01-01T00:00:00Z\",\"step\":\"packages\","
          + "\"cancellable\":true,\"results\":[]}";
  private static final String DONE =
      RUNNING
          .replace("running", "done")
          .replace("packages", "capture")
          .replace("\"results\":[]", "\"endedAt\":\"2026-01-01T00:01:00Z\",\"results\":[\"t1\"]");
  private static final String FAILED =
      RUNNING
          .replace("running", "failed")
          .replace(
              "\"results\":[]",
              "\"endedAt\":\"2026-01-01T00:01:00Z\",\"results\":[],\"error\":{\"code\":507,"
                  + "\"message\":\"full\",\"error\":\"NO_SPACE\",\"remedy\":\"delete some\"}");

  @AutoClose private final FakeHost host = new FakeHost();

  private static String event(String name, String data) {
    return "event: " + name + "\ndata: " + data + "\n\n";
  }

  @Test
  void listsAndShows() {
    host.on("/operations", 200, "[" + RUNNING + "]");
    host.on("/operations/op-1", 200, FAILED);
    FakeHost.Outcome list = host.run("operation", "ls", "--state", "running");
    assertEquals(0, list.status(), list.err());
    assertTrue(list.out().contains("op-1"), list.out());
    assertTrue(list.out().contains("packages"), list.out());
    assertEquals("op-1\n", host.run("op", "ls", "-q").out());
    assertEquals("[" + RUNNING + "]\n", host.run("operation", "ls", "--json").out());
    FakeHost.Outcome shown = host.run("operation", "show", "op-1");
    assertTrue(shown.out().contains("NO_SPACE: full"), shown.out());
    assertTrue(shown.out().contains("delete some"), shown.out());
    assertEquals(FAILED + "\n", host.run("operation", "show", "op-1", "--json").out());
  }

  @Test
  void watchesToTheEnd() {
    host.on(
        "/operations/op-1/events", 200, event("progress", RUNNING) + ":\n\n" + event("end", DONE));
    FakeHost.Outcome watched = host.run("operation", "watch", "op-1");
    assertEquals(0, watched.status(), watched.err());
    assertEquals("running: packages\ndone: capture\n", watched.out());
    assertEquals(RUNNING + "\n" + DONE + "\n", host.run("op", "watch", "op-1", "--json").out());
  }

  @Test
  void watchingOneThatFailsEndsWithItsStatus() {
    host.on("/operations/op-1/events", 200, event("progress", RUNNING) + event("end", FAILED));
    FakeHost.Outcome watched = host.run("operation", "watch", "op-1");
    assertEquals(5, watched.status());
    assertTrue(watched.err().contains("full"), watched.err());
    host.on("/operations/op-2/events", 200, event("progress", RUNNING));
    assertEquals(6, host.run("operation", "watch", "op-2").status());
  }

  @Test
  void cancels() {
    host.on("/operations/op-1", 202, RUNNING);
    host.on("/operations/op-2", 409, Answers.error(409, "CONFLICT", "has ended", ""));
    FakeHost.Outcome cancelled = host.run("operation", "cancel", "op-1", "op-2");
    assertEquals(4, cancelled.status());
    assertEquals("op-1\n", cancelled.out());
    assertEquals("DELETE", host.requests.get(0).method());
  }
}
