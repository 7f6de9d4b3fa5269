// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.term;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * Says which standard streams are terminals. Immutable and thread-safe.
 *
 * @param input whether standard input is a terminal
 * @param output whether standard output is a terminal
 * @param error whether standard error is a terminal
 * @param colour whether to use colours on a terminal
 */
public record Terminal(boolean input, boolean output, boolean error, boolean colour) {
  /** No terminal at all. */
  public static final Terminal NONE = new Terminal(false, false, false, false);

  /**
   * Detects the terminals. The JDK can answer only for standard input and output together, so this
   * reads the links in {@code /proc/self/fd} (proc(5)). Colours follow <a
   * href="https://no-color.org">NO_COLOR</a> and TERM.
   */
  public static Terminal detect(Map<String, String> environment) {
    boolean plain =
        !environment.getOrDefault("NO_COLOR", "").isEmpty()
            || environment.getOrDefault("TERM", "dumb").equals("dumb");
    return new Terminal(isTerminal(0), isTerminal(1), isTerminal(2), !plain);
  }

  private static boolean isTerminal(int descriptor) {
    try {
      String target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor)).toString();
      return target.startsWith("/dev/pts/")
          || target.startsWith("/dev/tty")
          || target.equals("/dev/console");
    } catch (IOException e) {
      return false; // closed, or no /proc: not a terminal
    }
  }

  /** Returns whether a person can be asked: the question is on standard error. */
  public boolean canAsk() {
    return input && error;
  }

  /** Returns the emphasis for standard output. */
  public TextStyle onOutput() {
    return output && colour ? TextStyle.COLOURS : TextStyle.PLAIN;
  }

  /** Returns the emphasis for standard error. */
  public TextStyle onError() {
    return error && colour ? TextStyle.COLOURS : TextStyle.PLAIN;
  }
}
