// SPDX-License-Identifier: Apache-2.0
package dev.ramet.agent.host;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LineSplitterTest {
  private static List<String> of(String... pieces) {
    List<String> all = new ArrayList<>();
    LineSplitter lines = new LineSplitter(all::add);
    for (String piece : pieces) {
      lines.add(piece.getBytes(StandardCharsets.UTF_8));
    }
    lines.finish();
    return all;
  }

  @Test
  void linesComeWholeHoweverTheyAreCut() {
    assertEquals(List.of("one", "", "two, too", "rest"), of("on", "e\n\ntwo", ", too\nre", "st"));
    assertEquals(List.of(), of());
  }

  @Test
  void progressThatIsDrawnOverItselfBecomesLines() {
    assertEquals(
        List.of("10 %", "20 %", "done"),
        of("10 %\r20 %\r\r\ndone\r\n").stream().filter(s -> !s.isEmpty()).toList());
  }

  @Test
  void noTerminalObeysThem() {
    assertEquals(
        List.of("red ?]0;title? \t end"),
        of("\u001b[31mred\u001b[0m \u001b]0;title\u0007 \t end\n"));
  }

  @Test
  void theyHaveABoundedLength() {
    String line = of("x".repeat(100_000) + "\nnext").get(0);
    assertEquals("x".repeat(LineSplitter.MAX_BYTES) + " …", line);
  }
}
