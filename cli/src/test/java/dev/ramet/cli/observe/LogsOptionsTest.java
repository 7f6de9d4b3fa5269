// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.ramet.cli.term.TerminalText;
import dev.ramet.errors.RametException;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class LogsOptionsTest {
  private static final Instant NOW = Instant.parse("2026-01-31T12:00:00Z");

  @Test
  void aDurationIsBeforeNow() {
    assertEquals(NOW.minusSeconds(90), Logs.earliest("90", NOW));
    assertEquals(NOW.minusSeconds(90), Logs.earliest("90s", NOW));
    assertEquals(NOW.minusSeconds(900), Logs.earliest("15m", NOW));
    assertEquals(NOW.minusSeconds(7200), Logs.earliest("2h", NOW));
    assertEquals(NOW, Logs.earliest("2026-01-31T12:00:00Z", NOW));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "yesterday", "-1s", "1w", "9999999999"})
  void nonsenseIsRefused(String text) {
    assertThrows(RametException.class, () -> Logs.earliest(text, NOW));
  }

  @Test
  void aLineCannotChangeTheTerminal() {
    assertEquals(
        "\u001b[31mred\u001b[0m [2J2Jx]0;title\ty",
        TerminalText.harmless(
            "\u001b[31mred\u001b[0m \u001b[2J\b\u009b2Jx\u001b]0;title\u0007\ty"));
  }
}
