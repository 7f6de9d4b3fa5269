// SPDX-License-Identifier: Apache-2.0
package dev.ramet.agent.host;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * Splits the output of a guest's command into lines that are safe to show: they contain no terminal
 * control sequences and are at most {@value #MAX_BYTES} bytes long. Used by one thread.
 */
final class LineSplitter {
  static final int MAX_BYTES = 4000;

  private static final Pattern ESCAPES = Pattern.compile("\u001b\\[[0-9;?]*[ -/]*[@-~]");
  private static final Pattern CONTROLS = Pattern.compile("[\\p{Cntrl}&&[^\t]]");

  private final Consumer<String> consumer;
  private final ByteArrayOutputStream line = new ByteArrayOutputStream();
  private boolean overlong;

  LineSplitter(Consumer<String> taker) {
    this.consumer = taker;
  }

  void add(byte[] bytes) {
    for (byte b : bytes) {
      if (b == '\n') {
        endLine();
      } else if (b == '\r') {
        // A progress display that overwrites itself: each state becomes a line.
        if (line.size() > 0) {
          endLine();
        }
      } else if (line.size() < MAX_BYTES) {
        line.write(b);
      } else {
        overlong = true;
      }
    }
  }

  /** Ends the last line, which has no terminator. */
  void finish() {
    if (line.size() > 0) {
      endLine();
    }
  }

  private void endLine() {
    String text = line.toString(StandardCharsets.UTF_8) + (overlong ? " …" : "");
    line.reset();
    overlong = false;
    consumer.accept(sanitize(text));
  }

  private static String sanitize(String text) {
    return CONTROLS.matcher(ESCAPES.matcher(text).replaceAll("")).replaceAll("?");
  }
}
