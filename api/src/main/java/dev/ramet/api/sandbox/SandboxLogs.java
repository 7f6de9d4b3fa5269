// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.sandbox;

import java.util.List;
import java.util.Map;

/**
 * The last lines that a guest wrote to its console, oldest first. Immutable and thread-safe if its
 * lists are.
 *
 * @param logs the lines
 * @param logEntries the same lines in the newer format
 */
public record SandboxLogs(List<Line> logs, List<Entry> logEntries) {
  /**
   * A console line.
   *
   * @param timestamp time of the last write to the console, RFC 3339, because lines carry no time
   *     themselves
   * @param line its text
   */
  public record Line(String timestamp, String line) {}

  /**
   * A console line in the newer format.
   *
   * @param timestamp time of the last write to the console, RFC 3339
   * @param message its text
   * @param level always {@code info}
   * @param fields always empty
   */
  public record Entry(String timestamp, String message, String level, Map<String, String> fields) {}
}
