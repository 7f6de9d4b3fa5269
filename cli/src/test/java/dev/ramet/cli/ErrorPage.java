// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli;

import dev.ramet.errors.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Generates the reference page of error codes from {@link ErrorCode} and its comments. */
final class ErrorPage {
  private ErrorPage() {}

  /** Returns the content of {@code docs/reference/errors.md}. */
  static String text(Path project) throws IOException {
    String source =
        Files.readString(project.resolve("errors/src/main/java/dev/ramet/errors/ErrorCode.java"));
    StringBuilder page =
        new StringBuilder(
            """
            <!-- Written from dev.ramet.errors.ErrorCode; ReferencePagesTest says how. -->
            # Error codes

            A request that fails gets a JSON object with the HTTP status, a sentence for people, the stable name of the
            error, and, where there is one, a `remedy` and the `field` of the request that is wrong:

            ```json
            {"code":404,"message":"sandbox not found: nothing","error":"NOT_FOUND"}
            ```

            The command line prints the message and the remedy, and ends with the exit status. Names and numbers never
            change. Programs must not parse messages. Who must act:

            | kind | meaning |
            |---|---|
            | caller | the request is wrong or does not fit the current state; repeating it unchanged is pointless |
            | host | the host lacks something; its operator must act |
            | transient | the same request may succeed later |
            | internal | a defect of Ramet or of a plugin |

            | error | number | kind | HTTP | exit | meaning |
            |---|--:|---|--:|--:|---|
            """);
    for (ErrorCode code : ErrorCode.values()) {
      page.append("| `").append(code.name()).append("` | ").append(code.number()).append(" | ");
      page.append(code.kind().name().toLowerCase(java.util.Locale.ROOT)).append(" | ");
      page.append(code.httpStatus()).append(" | ").append(code.exitStatus()).append(" | ");
      page.append(meaning(source, code)).append(" |\n");
    }
    page.append(
        "\n[Find out what is wrong](../how-to/recover.md) goes from symptoms to remedies.\n");
    return page.toString();
  }

  /** Returns the comment of a code, which is the only place that describes it. */
  private static String meaning(String source, ErrorCode code) {
    Matcher comment =
        Pattern.compile("/\\*\\* (.+?)\\.? \\*/\\s+" + code.name() + "\\(").matcher(source);
    if (!comment.find()) {
      throw new AssertionError(code + " has no comment of one line");
    }
    String text = comment.group(1);
    return text.substring(0, 1).toLowerCase(java.util.Locale.ROOT) + text.substring(1);
  }
}
