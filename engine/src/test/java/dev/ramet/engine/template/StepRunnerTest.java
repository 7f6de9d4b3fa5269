// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.template;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StepRunnerTest {
  /** Returns how a real shell expands a quoted value. */
  private static String expanded(String value) throws Exception {
    ProcessBuilder shell =
        new ProcessBuilder("sh", "-c", "printf '%s' \"" + StepRunner.shellQuote(value) + '"');
    shell.environment().put("NAME", "v a l");
    Process process = shell.start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor());
    return said;
  }

  @Test
  void onlyVariablesHaveAMeaningInValues() throws Exception {
    for (var one :
        Map.of(
                "$NAME and ${NAME}s", "v a l and v a ls",
                "$(echo no) `echo no` \"q\" 'q'", "$(echo no) `echo no` \"q\" 'q'",
                "\\$NAME costs 5$", "$NAME costs 5$",
                "\\n \\\\ $1 $", "\\n \\\\ $1 $",
                "${NAME:-$(echo no)}", "v a l",
                "${NONE:-x}$", "x$")
            .entrySet()) {
      assertEquals(one.getValue(), expanded(one.getKey()), one.getKey());
    }
  }
}
