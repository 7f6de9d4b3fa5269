// SPDX-License-Identifier: Apache-2.0
package dev.ramet.agent.host;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * Splits the output of a guest's command into lines that are safe to show: they contain no terminal
 * control sequences and are at most {@value #MOST_BYTES} bytes long. Used by one thread.
 */
final class Lines {
  static final int MOST_BYTES = 4000;

  private static final Pattern ESCAPES = Pattern.compile("\u001b\\[[0-9;?]*[ -/]*[@-~]");
  private static final Pattern CONTROLS = Pattern.compile("[\\p{Cntrl}&&[^\t]]");

  private final Consumer<String> taker;
  private final ByteArrayOutputStream line = new ByteArrayOutputStream();
  private boolean overlong;

  Lines(Consumer<String> taker) {
    this.taker = taker;
  }

  void add(byte[] bytes) {
    for (byte b : bytes) {
      if (b == '\n') {
        end();
      } else if (b == '\r') {
        // A progress display that overwrites itself: each state becomes a line.
        if (line.size() > 0) {
          end();
        }
      } else if (line.size() < MOST_BYTES) {
        line.write(b);
      } else {
        overlong = true;
      }
    }
  }

  /** Ends the last line, which has no terminator. */
  void finish() {
    if (line.size() > 0) {
      end();
    }
  }

  private void end() {
    String text = line.toString(StandardCharsets.UTF_8) + (overlong ? " …" : "");
    line.reset();
    overlong = false;
    taker.accept(shown(text));
  }

  private static String shown(String text) {
    return CONTROLS.matcher(ESCAPES.matcher(text).replaceAll("")).replaceAll("?");
  }
}
