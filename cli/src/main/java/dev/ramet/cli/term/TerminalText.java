// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.term;

/** Text of guests and hosts, made safe for a terminal. */
public final class TerminalText {
  private TerminalText() {}

  /**
   * Returns a line without what could change the terminal: control characters, also those of eight
   * bits (C1), and escape sequences. Colours and tabs stay.
   */
  public static String harmless(String line) {
    return line.replaceAll("\u001b(?!\\[[0-9;]*m)", "")
        .replaceAll("[\\x00-\\x1f\\x7f-\\x9f&&[^\t\u001b]]", "");
  }
}
