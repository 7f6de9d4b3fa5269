// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ramet.api.sandbox.SandboxStats;
import dev.ramet.api.sandbox.SandboxStats.Usage;
import dev.ramet.cli.term.TextStyle;
import java.util.List;
import org.junit.jupiter.api.Test;

final class TopTableTest {
  private static SandboxStats running(String id, int second, double cpu, long bytes) {
    return new SandboxStats(
        id,
        "micro",
        "running",
        "2026-01-01T00:00:0" + second + "Z",
        1,
        256,
        new Usage(cpu, 20 << 20, 200 << 20, bytes, 0, bytes, null));
  }

  private static SandboxStats paused(String id) {
    return new SandboxStats(id, null, "paused", "2026-01-01T00:00:00Z", 1, 512, null);
  }

  private static List<String> cells(List<String> lines, int line) {
    return List.of(lines.get(line).split(" {2,}", -1));
  }

  private final TopTable table = new TopTable(TopTable.Order.cpu);

  @Test
  void ratesAreTheChangeSinceTheLastTable() {
    SandboxStats[] first = {running("idle", 0, 9, 0), running("busy", 0, 1, 0), paused("off")};
    List<String> lines = table.lines(first, TextStyle.PLAIN);
    assertEquals(
        List.of(
            "idle", "micro", "running", "-", "20 MiB", "200 MiB", "256 MiB", "-", "-", "-", "-"),
        cells(lines, 1));
    SandboxStats[] next = {running("idle", 2, 9, 0), running("busy", 2, 2, 4096), paused("off")};
    lines = table.lines(next, TextStyle.PLAIN);
    assertEquals(
        List.of(
            "busy", "micro", "running", "50.0%", "20 MiB", "200 MiB", "256 MiB", "2 KiB/s", "0 B/s",
            "2 KiB/s", "-"),
        cells(lines, 1));
    assertEquals("idle", cells(lines, 2).get(0));
    assertEquals(
        List.of("off", "-", "paused", "-", "-", "-", "512 MiB", "-", "-", "-", "-"),
        cells(lines, 3));
  }

  @Test
  void aReplacedMachineHasNoRatesYet() {
    table.lines(new SandboxStats[] {running("a", 0, 9, 9)}, TextStyle.PLAIN);
    List<String> lines = table.lines(new SandboxStats[] {running("a", 2, 1, 1)}, TextStyle.PLAIN);
    assertEquals("-", cells(lines, 1).get(3));
  }
}
