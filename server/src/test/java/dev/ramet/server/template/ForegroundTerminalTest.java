// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.template;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests a question on the host's terminal. */
@Timeout(60)
class ForegroundTerminalTest {
  private final ByteArrayOutputStream shown = new ByteArrayOutputStream();

  private ForegroundTerminal terminal(String typed, java.util.function.BooleanSupplier foreground) {
    InputStream input = new ByteArrayInputStream(typed.getBytes(StandardCharsets.UTF_8));
    return new ForegroundTerminal(
        input, new PrintStream(shown, true, StandardCharsets.UTF_8), foreground);
  }

  private @Nullable Boolean answer(String typed) {
    return terminal(typed, () -> true).ask("Really? ");
  }

  @Test
  void anEmptyLineMeansYes() {
    assertEquals(true, answer("\n"));
    assertEquals(true, answer("Yes\n"));
    assertEquals(true, answer("y\n"));
    assertEquals(false, answer("n\n"));
    assertEquals(false, answer("what?\n"));
    assertEquals("Really? ".repeat(5), shown.toString(StandardCharsets.UTF_8));
  }

  @Test
  void nothingIsShownWithoutATerminal() {
    assertNull(terminal("y\n", () -> false).ask("Really? "));
    assertEquals("", shown.toString(StandardCharsets.UTF_8));
  }

  @Test
  void aHostThatGoesToTheBackgroundReadsNothing() {
    AtomicInteger asked = new AtomicInteger();
    assertNull(terminal("y\n", () -> asked.getAndIncrement() == 0).ask("Really? "));
  }

  @Test
  void aHostThatStopsDoesNotWait() {
    ForegroundTerminal terminal = terminal("", () -> true);
    terminal.close();
    assertNull(terminal.ask("Really? "));
  }
}
