// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.sandbox;

import dev.ramet.api.sandbox.SandboxLogs.Entry;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;

/** Divides the end of a log into lines. */
final class LogReader {
  /** The agent writes to the console and begins its lines with this. */
  private static final String AGENT = "agent: ";

  private LogReader() {}

  /**
   * Returns the lines.
   *
   * @param tail the log's last bytes
   * @param sizeBytes the log's size
   * @param source where it is from; the console has lines of the agent, too
   * @param times the times of positions
   */
  static List<Entry> lines(
      byte[] tail, long sizeBytes, LogSource source, NavigableMap<Long, Instant> times) {
    List<Entry> lines = new ArrayList<>();
    long offset = sizeBytes - tail.length;
    int start = 0;
    // The beginning of a long log is a hole, which reads as zeros.
    while (start < tail.length && tail[start] == 0) {
      start++;
    }
    for (int at = start; at <= tail.length; at++) {
      boolean last = at == tail.length;
      if (last ? start < at : tail[at] == '\n') {
        String text = new String(tail, start, at - start, StandardCharsets.UTF_8);
        lines.add(entry(text, offset + at + (last ? 0 : 1), last, source, times));
        start = at + 1;
      }
    }
    return lines;
  }

  private static Entry entry(
      String text, long end, boolean partial, LogSource source, NavigableMap<Long, Instant> times) {
    String line = text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
    boolean agent = source == LogSource.CONSOLE && line.startsWith(AGENT);
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("source", (agent ? LogSource.AGENT : source).wireName());
    fields.put("end", Long.toString(end));
    if (partial) {
      fields.put("partial", "true");
    }
    Map.Entry<Long, Instant> seen = times.ceilingEntry(end);
    Instant at = seen == null ? Instant.now() : seen.getValue();
    return new Entry(at.toString(), line, "info", fields);
  }
}
