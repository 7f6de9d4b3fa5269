// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.observe;

import dev.ramet.api.sandbox.SandboxStats;
import dev.ramet.api.sandbox.SandboxStats.Usage;
import dev.ramet.cli.term.HumanFormat;
import dev.ramet.cli.term.Table;
import dev.ramet.cli.term.TextStyle;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** Turns measurements into a table, and remembers them for the rates of the next one. */
final class TopTable {
  /** The columns that sandboxes can be sorted by. */
  enum Order {
    cpu,
    memory,
    disk,
    network,
    age
  }

  private final Order order;
  private Map<String, SandboxStats> before = Map.of();

  TopTable(Order order) {
    this.order = order;
  }

  private record Row(SandboxStats stats, Rates rates) {
    double rate(ToDoubleFunction<Usage> counter) {
      return rates.perSecond(counter);
    }

    String size(ToDoubleFunction<Usage> value) {
      Usage usage = stats.usage();
      return usage == null ? "" : HumanFormat.size(Math.round(value.applyAsDouble(usage)));
    }

    String speed(ToDoubleFunction<Usage> counter) {
      double rate = rate(counter);
      return rate < 0 ? "" : HumanFormat.size(Math.round(rate)) + "/s";
    }
  }

  /** Returns the table's lines. */
  List<String> lines(SandboxStats[] measured, TextStyle style) {
    List<Row> rows = new ArrayList<>();
    for (SandboxStats one : measured) {
      rows.add(new Row(one, Rates.between(before.get(one.sandboxID()), one)));
    }
    sort(rows);
    Table table =
        new Table(
            style,
            "SANDBOX",
            "TEMPLATE",
            "STATE",
            "CPU",
            "OWN MEM",
            "SHARED MEM",
            "LIMIT",
            "DISK READ",
            "DISK WRITE",
            "NET IN",
            "NET OUT");
    for (Row row : rows) {
      double cpu = row.rate(Usage::cpuSeconds);
      table.row(
          row.stats().sandboxID(),
          Objects.requireNonNullElse(row.stats().alias(), ""),
          row.stats().state(),
          cpu < 0 ? "" : String.format(Locale.ROOT, "%.1f%%", cpu * 100),
          row.size(Usage::memoryOwnBytes),
          row.size(Usage::memorySharedBytes),
          HumanFormat.mebibytes(row.stats().memoryMB()),
          row.speed(Usage::diskReadBytes),
          row.speed(Usage::diskWrittenBytes),
          known(row, Usage::networkReceivedBytes),
          known(row, Usage::networkSentBytes));
    }
    Map<String, SandboxStats> now = new HashMap<>();
    for (SandboxStats one : measured) {
      now.put(one.sandboxID(), one);
    }
    before = now;
    return table.lines();
  }

  /** A counter of a guest, which its agent may not know. */
  private interface GuestCounter {
    @Nullable Long of(Usage usage);
  }

  private static String known(Row row, GuestCounter counter) {
    Usage usage = row.stats().usage();
    return usage == null || counter.of(usage) == null
        ? ""
        : row.speed(one -> Objects.requireNonNullElse(counter.of(one), 0L));
  }

  private void sort(List<Row> rows) {
    ToDoubleFunction<Row> weight =
        switch (order) {
          case cpu -> row -> row.rate(Usage::cpuSeconds);
          case memory ->
              row -> row.stats().usage() == null ? -1 : row.stats().usage().memoryOwnBytes();
          case disk -> row -> row.rate(use -> use.diskReadBytes() + use.diskWrittenBytes());
          case network -> row -> row.rate(TopTable::network);
          case age -> row -> 0; // the host's order: newest first
        };
    rows.sort(Comparator.comparingDouble(weight).reversed());
  }

  private static double network(Usage usage) {
    return 0.0
        + Objects.requireNonNullElse(usage.networkReceivedBytes(), 0L)
        + Objects.requireNonNullElse(usage.networkSentBytes(), 0L);
  }
}
