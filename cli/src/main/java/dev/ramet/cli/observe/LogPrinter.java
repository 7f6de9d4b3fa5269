// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.observe;

import dev.ramet.api.sandbox.SandboxLogs;
import dev.ramet.api.sandbox.SandboxLogs.Entry;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.term.TerminalText;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Prints lines of logs, each once. Used by one thread. */
final class LogPrinter {
  private final Context context;
  private final boolean sources;
  private final boolean timestamps;

  /** Up to where each log was printed. */
  private final Map<String, Long> ends = new HashMap<>();

  /**
   * Creates a printer.
   *
   * @param sources whether to print where a line is from
   * @param timestamps whether to print its time
   */
  LogPrinter(Context context, boolean sources, boolean timestamps) {
    this.context = context;
    this.sources = sources;
    this.timestamps = timestamps;
  }

  /**
   * Prints the last lines.
   *
   * @param more whether {@link #next} follows, which prints a line that is not whole yet
   */
  void first(SandboxLogs logs, int most, boolean more) {
    List<Entry> lines = logs.logEntries();
    for (int at = 0; at < lines.size(); at++) {
      Entry line = lines.get(at);
      if (!more || !isPartial(line)) {
        ends.merge(source(line), end(line), Math::max);
        if (at >= lines.size() - most) {
          print(line);
        }
      }
    }
  }

  /** Prints the lines that were not printed yet. A log that became shorter is a new one. */
  void next(SandboxLogs logs) {
    Map<String, Long> last = new HashMap<>();
    logs.logEntries().forEach(line -> last.merge(source(line), end(line), Math::max));
    last.forEach(
        (source, end) -> ends.computeIfPresent(source, (s, known) -> end < known ? 0L : known));
    for (Entry line : logs.logEntries()) {
      if (!isPartial(line) && end(line) > ends.getOrDefault(source(line), 0L)) {
        ends.put(source(line), end(line));
        print(line);
      }
    }
  }

  private static boolean isPartial(Entry line) {
    return line.fields().containsKey("partial");
  }

  private static String source(Entry line) {
    return line.fields().getOrDefault("source", "console");
  }

  private static long end(Entry line) {
    return Long.parseLong(line.fields().getOrDefault("end", "0"));
  }

  private void print(Entry line) {
    StringBuilder text = new StringBuilder();
    if (timestamps) {
      text.append(line.timestamp()).append(' ');
    }
    if (sources) {
      text.append(String.format(java.util.Locale.ROOT, "%-9s | ", source(line)));
    }
    String message = line.message();
    text.append(context.terminal().output() ? TerminalText.harmless(message) : message);
    context.out().println(text);
  }
}
