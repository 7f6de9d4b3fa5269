// SPDX-License-Identifier: Apache-2.0
package dev.ramet.bench.report;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The results of a suite's run. Immutable and thread-safe as far as its list is.
 *
 * @param suite the suite's name
 * @param results one line each
 */
public record Report(String suite, List<Result> results) {
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  private static final List<String> HEAD =
      List.of("", "unit", "p50", "p99", "floor", "ratio", "n", "target");

  /** Reads a report written by {@link #write}. */
  public static Report read(Path file) throws IOException {
    return JSON.readValue(file.toFile(), Report.class);
  }

  /** Writes the report as JSON; a reader never sees half of it. */
  public void write(Path file) throws IOException {
    Path target = file.toAbsolutePath();
    Path fresh = target.resolveSibling("." + target.getFileName() + ".new");
    try {
      Files.writeString(fresh, JSON.writeValueAsString(this) + "\n");
      Files.move(fresh, target, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(fresh);
    }
  }

  /** Returns a table for a terminal. */
  public String text() {
    int width = results.stream().mapToInt(r -> r.name().length()).max().orElse(0);
    StringBuilder out = new StringBuilder("suite ").append(suite).append('\n');
    out.append(line(HEAD, width)).append('\n');
    for (Result result : results) {
      out.append(line(cells(result), width));
      if (result.note() != null) {
        out.append("  ").append(result.note());
      }
      out.append('\n');
    }
    return out.toString();
  }

  /** Returns a table for a Markdown document. */
  public String markdown() {
    StringBuilder out = new StringBuilder("| " + suite + String.join(" | ", HEAD) + " | |\n");
    out.append("|---|---|--:|--:|--:|--:|--:|---|---|\n");
    for (Result result : results) {
      String note = result.note();
      out.append("| ").append(String.join(" | ", cells(result)));
      out.append(" | ").append(note == null ? "" : note).append(" |\n");
    }
    return out.toString();
  }

  private static String line(List<String> cells, int width) {
    return String.format(
            Locale.ROOT, "%-" + width + "s  %-5s %9s %9s %9s %6s %4s  %s", cells.toArray())
        .stripTrailing();
  }

  private static List<String> cells(Result result) {
    return List.of(
        result.name(),
        result.unit(),
        number(result.p50()),
        number(result.p99()),
        number(result.floor()),
        result.ratio() == null ? "" : String.format(Locale.ROOT, "%.2f", result.ratio()),
        Integer.toString(result.n()),
        target(result));
  }

  private static String target(Result result) {
    Double target = result.target();
    if (target == null) {
      return "";
    }
    Boolean kept = result.kept();
    String verdict = kept == null ? "unknown" : kept ? "kept" : "missed";
    String of = result.targetOf() == null ? "p50" : result.targetOf();
    return (of.equals("p50") ? "p50" : "ratio")
        + (of.equals("ratio-least") ? " ≥ " : " ≤ ")
        + number(target)
        + " "
        + verdict;
  }

  /** Formats a number with about three significant digits. */
  private static String number(@Nullable Double value) {
    if (value == null) {
      return "";
    }
    double size = Math.abs(value);
    if (size >= 100 || value == Math.rint(value)) {
      return String.format(Locale.ROOT, "%.0f", value);
    }
    return String.format(Locale.ROOT, size >= 10 ? "%.1f" : "%.2f", value);
  }
}
