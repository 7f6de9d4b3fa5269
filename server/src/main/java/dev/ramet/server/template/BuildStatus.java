// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.template;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How far a template build is.
 *
 * @param templateID id of the template that is made
 * @param buildID id of the build
 * @param status {@code waiting} until its steps are given, {@code building}, {@code ready} or
 *     {@code error}
 * @param logs what it said, without the times
 * @param logEntries what it said, from the asked entry on
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
   * A line of what a build says.
   *
   * @param timestamp when, in RFC 3339
   * @param level {@code info} or {@code warn}, which is what commands write to standard error
   * @param message the line
   * @param step as in {@link Reason}
   */
  public record Entry(String timestamp, String level, String message, String step) {}

  /**
   * Why a build failed.
   *
   * @param message for people
   * @param step the number of the step, from 1; {@code base} before those, {@code finalize} after
   * @param logEntries the last of what the step said
   */
  public record Reason(String message, String step, List<Entry> logEntries) {}
}
