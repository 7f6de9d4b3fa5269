// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.template;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state of a template build.
 *
 * @param templateID id of the template it creates
 * @param buildID id of the build
 * @param status {@code waiting} until its steps are given, {@code building}, {@code ready} or
 *     {@code error}
 * @param logs the lines of its log, without times
 * @param logEntries its log, from the requested entry on
 * @param reason why it failed, or null
 */
public record BuildStatus(
    String templateID,
    String buildID,
    String status,
    List<String> logs,
    List<Entry> logEntries,
    @Nullable Reason reason) {
  /**
   * A log entry of a build.
   *
   * @param timestamp its time, in RFC 3339
   * @param level {@code info}, or {@code warn} for output of commands to standard error
   * @param message the line
   * @param step as in {@link Reason}
   */
  public record Entry(String timestamp, String level, String message, String step) {}

  /**
   * The reason why a build failed.
   *
   * @param message for people
   * @param step the number of the step, from 1; {@code base} before the first, {@code finalize}
   *     after the last
   * @param logEntries the last log entries of the step
   */
  public record Reason(String message, String step, List<Entry> logEntries) {}
}
