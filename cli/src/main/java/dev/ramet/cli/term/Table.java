// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.term;

import java.util.ArrayList;
import java.util.List;

/** A table with aligned columns. Not thread-safe. */
public final class Table {
  private static final String GAP = "  ";

  private final TextStyle paint;
  private final List<String[]> rows = new ArrayList<>();
  private final int columns;
  private final boolean headed;
  private boolean hidden;

  /** Creates a table with a heading for each column. */
  public Table(TextStyle paint, String... headings) {
    this.paint = paint;
    this.columns = headings.length;
    this.headed = true;
    rows.add(headings);
  }

  private Table(TextStyle paint, int columns) {
    this.paint = paint;
    this.columns = columns;
    this.headed = false;
  }

  /** Creates a table of names and values, one pair per line. */
  public static Table keyValue(TextStyle paint) {
    return new Table(paint, 2);
  }

  /** Adds a row, one cell per column. Empty cells become a dash in tables with headings. */
  public Table row(String... cells) {
    if (cells.length != columns) {
      throw new IllegalArgumentException(cells.length + " cells for " + columns + " columns");
    }
    rows.add(cells);
    return this;
  }

  /** Leaves the headings out. */
  public Table withoutHeadings() {
    hidden = headed;
    return this;
  }

  /** Returns the lines, without line ends. */
  public List<String> lines() {
    int[] widths = new int[columns];
    List<String[]> shown = hidden ? rows.subList(1, rows.size()) : rows;
    for (String[] row : shown) {
      for (int i = 0; i < columns; i++) {
        widths[i] = Math.max(widths[i], cellText(row[i]).length());
      }
    }
    List<String> lines = new ArrayList<>();
    for (String[] row : shown) {
      boolean heading = headed && !hidden && lines.isEmpty();
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < columns; i++) {
        String cell = cellText(row[i]);
        String padding = i == columns - 1 ? "" : " ".repeat(widths[i] - cell.length()) + GAP;
        boolean name = heading || (!headed && i == 0);
        line.append(name ? paint.bold(cell) : cell).append(padding);
      }
      lines.add(line.toString().stripTrailing());
    }
    return lines;
  }

  private String cellText(String cell) {
    return cell.isEmpty() && headed ? "-" : TerminalText.harmless(cell.replace('\n', ' '));
  }
}
