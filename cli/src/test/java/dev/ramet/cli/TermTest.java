// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.cli.term.HumanFormat;
import dev.ramet.cli.term.Progress;
import dev.ramet.cli.term.Table;
import dev.ramet.cli.term.Terminal;
import dev.ramet.cli.term.TextStyle;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

final class TermTest {
  @Test
  void sizesAndTimes() {
    assertEquals("0 B", HumanFormat.size(0));
    assertEquals("1023 B", HumanFormat.size(1023));
    assertEquals("1 KiB", HumanFormat.size(1024));
    assertEquals("1.5 MiB", HumanFormat.size(3 << 19));
    assertEquals("62.5 GiB", HumanFormat.size(125L << 29));
    assertEquals("-1 MiB", HumanFormat.size(-1 << 20));
    assertEquals("0.5 ms", HumanFormat.millis(0.5));
    assertEquals("1.2 s", HumanFormat.millis(1234));
    assertEquals("3m", HumanFormat.millis(180_000));
    Instant now = Instant.parse("2026-01-01T01:00:00Z");
    assertEquals("60m ago", HumanFormat.timeSince("2026-01-01T00:00:00Z", now));
    assertEquals("in 30s", HumanFormat.timeUntil("2026-01-01T01:00:30Z", now));
    assertEquals("never", HumanFormat.timeUntil(null, now));
    assertEquals("soon", HumanFormat.timeSince("soon", now));
  }

  @Test
  void coloursDoNotMoveColumns() {
    Table plain = new Table(TextStyle.PLAIN, "A", "B").row("long cell", "").row("x", "y");
    Table painted = new Table(TextStyle.COLOURS, "A", "B").row("long cell", "").row("x", "y");
    assertEquals(List.of("A          B", "long cell  -", "x          y"), plain.lines());
    assertEquals(
        plain.lines(),
        painted.lines().stream().map(l -> l.replaceAll("\u001b\\[\\d+m", "")).toList());
  }

  @Test
  void coloursAreForTerminalsAlone() {
    Terminal piped = new Terminal(false, false, false, true);
    assertEquals(TextStyle.PLAIN, piped.onOutput());
    assertEquals(TextStyle.COLOURS, new Terminal(false, true, false, true).onOutput());
    assertFalse(Terminal.detect(Map.of("TERM", "xterm", "NO_COLOR", "1")).colour());
    assertFalse(Terminal.detect(Map.of()).colour());
    assertTrue(Terminal.detect(Map.of("TERM", "xterm")).colour());
  }

  @Test
  void progressAppearsAfterASecondAndGoes() throws Exception {
    ByteArrayOutputStream shown = new ByteArrayOutputStream();
    PrintStream to = new PrintStream(shown, true, StandardCharsets.UTF_8);
    new Progress(to, true, "quick").close();
    assertEquals("", shown.toString(StandardCharsets.UTF_8));
    try (Progress slow = new Progress(to, true, "slow")) {
      slow.label("slower");
      // A busy host may skip seconds.
      Pattern seconds = Pattern.compile("slower [1-9][0-9]*s");
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
      while (!seconds.matcher(shown.toString(StandardCharsets.UTF_8)).find()) {
        assertTrue(System.nanoTime() < end, shown::toString);
        Thread.sleep(20);
      }
    }
    String text = shown.toString(StandardCharsets.UTF_8);
    assertTrue(text.endsWith("\r\u001b[K"), text);
    shown.reset();
    try (Progress unseen = new Progress(to, false, "unseen")) {
      unseen.line("a line");
      Thread.sleep(1300);
    }
    assertEquals("a line" + System.lineSeparator(), shown.toString(StandardCharsets.UTF_8));
  }
}
