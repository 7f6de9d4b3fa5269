// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Tests the commands for snapshots. */
final class SnapshotCommandsTest {
  @AutoClose private final FakeHost host = new FakeHost();

  @Test
  void aSnapshotThatWasThere() {
    host.on("/sandboxes/a/snapshots", 200, Answers.snapshot("s1", "a"));
    assertEquals("s1\n", host.run("snapshot", "create", "a", "--if-changed").out());
    assertEquals("{\"ifChanged\":true}", host.requests.get(0).text());
  }

  @Test
  void snapshots() {
    host.on("/sandboxes/a/snapshots", 201, Answers.snapshot("s1", "a"));
    host.on("/snapshots", 200, "[" + Answers.snapshot("s1", "a") + "]");
    host.on("/snapshots/s1", 200, Answers.snapshot("s1", "a"));
    host.on("/snapshots/s1/fork", 201, Answers.sandbox("x", ""));
    assertEquals("s1\n", host.run("snapshot", "create", "a", "--name", "before").out());
    assertEquals("{\"name\":\"before\"}", host.requests.get(0).text());
    host.run("snapshot", "create", "a", "--verify");
    assertEquals("{\"verify\":true}", host.requests.remove(1).text());
    assertTrue(host.run("snapshot", "ls").out().contains("1.5 MiB"));
    String shown = host.run("snapshot", "show", "s1").out();
    assertTrue(shown.contains("soft-dirty: every write is seen"), shown);
    assertTrue(shown.contains("1 MiB of 256 MiB"), shown);
    assertTrue(shown.contains("all pass"), shown);
    assertTrue(shown.contains("4 MiB in 2 rounds"), shown);
    // The phases of the pause, then all others; each phase once.
    String[] times = shown.substring(shown.indexOf("Paused for")).split("\n", -1);
    assertEquals("disk", times[1].trim().split(" ", 2)[0]);
    assertTrue(times[2].startsWith("Took"), shown);
    assertEquals("write", times[3].trim().split(" ", 2)[0]);
    assertTrue(times[4].isEmpty(), shown);
    assertEquals(
        "x\n", host.run("snapshot", "fork", "s1", "--memory", "512", "--mode", "full").out());
    assertEquals("{\"memoryMB\":512,\"memoryMode\":\"full\"}", host.requests.get(3).text());
    host.on("/snapshots/s1/diff/s2", 200, Answers.DIFF);
    String differs = host.run("snapshot", "diff", "s1", "s2", "--ranges", "1").out();
    assertTrue(differs.contains("memory  8 KiB    2      1"), differs);
    assertTrue(differs.endsWith("memory 0x1000+0x2000\n"), differs);
    assertEquals("/snapshots/s1/diff/s2?limit=1", host.requests.get(4).uri());
    host.requests.remove(4);
    assertTrue(shown.contains("s0, in-place: nobody reads it"), shown);
    host.on("/sandboxes/a/pause", 204, "");
    host.run("sandbox", "pause", "a", "--mode", "full");
    assertEquals("{\"memory\":true,\"memoryMode\":\"full\"}", host.requests.get(4).text());
    host.requests.remove(4);
    assertEquals("s1\n", host.run("snapshot", "create", "a", "--no-wait").out());
    assertEquals("/sandboxes/a/snapshots?wait=false", host.requests.get(4).uri());
    assertEquals(0, host.run("snapshot", "wait", "s1", "--timeout", "1m").status());
    assertEquals("/snapshots/s1?wait=true&timeout=60", host.requests.get(5).uri());
    String failed = Answers.snapshot("s2", "a").replace("READY", "FAILED");
    host.on("/snapshots/s2", 200, failed);
    assertEquals(5, host.run("snapshot", "wait", "s2").status());
    assertEquals(0, host.run("snapshot", "rm", "s1").status());
  }

  @Test
  void aWaitThatNeverEndsIsRepeated() {
    Iterator<String> answers =
        List.of(
                Answers.error(504, "DEADLINE_EXCEEDED", "still being written", ""),
                Answers.snapshot("s1", "abc"))
            .iterator();
    host.on(
        "/snapshots/s1",
        (exchange, body) -> {
          String next = answers.next();
          FakeHost.answer(exchange, next.contains("DEADLINE") ? 504 : 200, next);
        });
    FakeHost.Outcome done = host.run("snapshot", "wait", "s1", "--timeout", "never");
    assertEquals(0, done.status(), done.err());
    assertEquals("/snapshots/s1?wait=true&timeout=600", host.requests.get(1).uri());
  }
}
