// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.sandbox;

import java.util.List;
import java.util.Map;

/**
 * The last lines of a guest's logs, oldest first: those of its console, and those of the program
 * that its template starts. Immutable and thread-safe if its lists are.
 *
 * @param logs the lines
 * @param logEntries the same lines in the newer format
 */
public record SandboxLogs(List<Line> logs, List<Entry> logEntries) {
  /**
   * A line.
   *
   * @param timestamp when the host found it, RFC 3339, because lines carry no time themselves; at
   *     the host's first look, the time of the log's last write
   * @param line its text
   */
  public record Line(String timestamp, String line) {}

  /**
   * A line in the newer format.
   *
   * @param timestamp as in {@link Line}
   * @param message its text
   * @param level always {@code info}
   * @param fields {@code source}: {@code console}, {@code container} or {@code agent}; {@code end}:
   *     the position in its log after the line; {@code partial}: {@code true} for a line whose end
   *     is not written yet
   */
  public record Entry(String timestamp, String message, String level, Map<String, String> fields) {}
}
