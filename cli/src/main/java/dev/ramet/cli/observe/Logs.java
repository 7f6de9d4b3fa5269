// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.observe;

import dev.ramet.api.sandbox.SandboxLogs;
import dev.ramet.cli.command.ApiCommand;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.http.ClientResponse;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command that shows the logs of a sandbox. */
@Command(
    name = "logs",
    description = {
      "Shows the last lines of a sandbox's logs: of its console, of the program that its template"
          + " starts, and of its agent.",
      "A line has the time at which the host found it."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ramet sandbox logs ID --source container -f",
      "  ramet sandbox logs ID --tail 20 --since 10m -t"
    })
public final class Logs extends ApiCommand {
  private static final long POLL_MILLIS = 1000;
  private static final int MAX_LINES = 1000;

  /** The logs of a sandbox. */
  enum Source {
    console,
    container,
    agent
  }

  @Parameters(index = "0", paramLabel = "ID", description = "The sandbox.")
  private String id = "";

  @Option(
      names = {"-f", "--follow"},
      description = "Continue with lines as they are written, until Ctrl-C or the sandbox's end.")
  private boolean follow;

  @Option(
      names = {"-n", "--tail"},
      paramLabel = "N",
      description = "Show only the last N lines, at most 1000.")
  private @Nullable Integer tail;

  @Option(
      names = "--since",
      paramLabel = "TIME",
      description =
          "Show only lines found since then: a duration before now such as 90s, 15m or 2h, or a time"
              + " such as 2026-01-31T12:00:00Z.")
  private @Nullable String since;

  @Option(
      names = "--source",
      paramLabel = "SOURCE",
      description =
          "One log: ${COMPLETION-CANDIDATES}. Otherwise all, with the source before each line.")
  private @Nullable Source source;

  @Option(
      names = {"-t", "--timestamps"},
      description = "Show the time before each line.")
  private boolean timestamps;

  Logs(Context context) {
    super(context);
  }

  @Override
  protected int run(Client client) throws InterruptedException {
    Integer most = tail;
    if (most != null && (most < 0 || most > MAX_LINES)) {
      throw RametException.invalid("--tail", "must be 0 to " + MAX_LINES + ": " + most);
    }
    ClientResponse first = client.get(path(since == null ? null : earliest(since, Instant.now())));
    if (json()) {
      if (follow) {
        throw RametException.invalid("--json", "does not go with --follow");
      }
      context().json(first.body());
      return 0;
    }
    LogPrinter printer = new LogPrinter(context(), source == null, timestamps);
    printer.first(first.parse(SandboxLogs.class), most == null ? MAX_LINES : most, follow);
    while (follow && !context().out().checkError()) { // its reader may be gone
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
      try {
        printer.next(client.get(path(null)).parse(SandboxLogs.class));
      } catch (RametException e) {
        if (e.code() == ErrorCode.NOT_FOUND) {
          context().err().println("sandbox " + id + " has ended");
          return 0;
        }
        if (e.code() != ErrorCode.CONFLICT) { // it is paused, and writes nothing
          throw e;
        }
      }
    }
    return 0;
  }

  private String path(@Nullable Instant earliest) {
    String query = "";
    if (source != null) {
      query += "&source=" + source.name().toLowerCase(Locale.ROOT);
    }
    if (earliest != null) {
      query += "&since=" + Client.encode(earliest.toString());
    }
    String path = "/sandboxes/" + Client.encode(id) + "/logs";
    return query.isEmpty() ? path : path + "?" + query.substring(1);
  }

  /** Parses a duration before now, or a time. */
  static Instant earliest(String text, Instant now) {
    try {
      if (text.matches("[0-9]{1,9}[smhd]?")) {
        boolean unit = !Character.isDigit(text.charAt(text.length() - 1));
        long count = Long.parseLong(unit ? text.substring(0, text.length() - 1) : text);
        return now.minus(
            switch (unit ? text.charAt(text.length() - 1) : 's') {
              case 'm' -> Duration.ofMinutes(count);
              case 'h' -> Duration.ofHours(count);
              case 'd' -> Duration.ofDays(count);
              default -> Duration.ofSeconds(count);
            });
      }
      return Instant.parse(text);
    } catch (DateTimeException e) {
      throw RametException.invalid(
          "--since", "not a time: " + text + "; write 90s, 15m, 2h or 2026-01-31T12:00:00Z");
    }
  }
}
