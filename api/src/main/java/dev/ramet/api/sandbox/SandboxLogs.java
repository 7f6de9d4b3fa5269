// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.sandbox;

import java.util.List;
import java.util.Map;

/**
 * The end of what a guest wrote to its console, oldest line first. Immutable and thread-safe as far
 * as its lists are.
 *
 * @param logs the lines
 * @param logEntries the same in another shape
 */
public record SandboxLogs(List<Line> logs, List<Entry> logEntries) {
  /**
   * A line.
   *
   * @param timestamp when the console was last written: lines carry no time of their own; RFC 3339
   * @param line its text
   */
  public record Line(String timestamp, String line) {}

  /**
   * A line.
   *
   * @param timestamp when the console was last written; RFC 3339
   * @param message its text
   * @param level always {@code info}
   * @param fields always empty
   */
  public record Entry(String timestamp, String message, String level, Map<String, String> fields) {}
}
