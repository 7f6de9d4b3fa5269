// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.output;

import dev.ramet.cli.term.Table;
import dev.ramet.cli.term.TextStyle;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Describes how objects of one kind are listed: their id, the columns of a table, and the filters.
 * Used by one thread.
 *
 * @param <T> the type of the objects
 */
public final class Listing<T> {
  private record Column<T>(String heading, boolean wide, Function<T, @Nullable String> cell) {}

  private final Class<T[]> type;
  private final Function<T, String> id;
  private final List<Column<T>> columns = new ArrayList<>();
  private final Map<String, Function<T, Collection<String>>> filters = new LinkedHashMap<>();
  private final Map<String, Parameter> ofHost = new LinkedHashMap<>();

  /** A parameter of the host's list. */
  record Parameter(String name, HostFilter how) {}

  /** How the host's list takes the values of a filter. */
  public enum HostFilter {
    /** One parameter with all values joined by commas, any of which may match. */
    JOINED,
    /** One parameter for each value, all of which must match. */
    REPEATED,
    /** One parameter with one value; several values are left to the command line. */
    SINGLE;

    /** Returns the values of the parameters to send. */
    List<String> values(List<String> values) {
      return switch (this) {
        case JOINED -> List.of(String.join(",", values));
        case REPEATED -> values;
        case SINGLE -> values.size() == 1 ? values : List.of();
      };
    }
  }

  /**
   * Creates a listing without columns.
   *
   * @param type the type of the host's list
   * @param id returns the id that commands take
   */
  public Listing(Class<T[]> type, Function<T, String> id) {
    this.type = type;
    this.id = id;
  }

  /** Adds a column. Null and empty cells become a dash. */
  public Listing<T> column(String heading, Function<T, @Nullable String> cell) {
    columns.add(new Column<>(heading, false, cell));
    return this;
  }

  /** Adds a column of wide tables. */
  public Listing<T> wide(String heading, Function<T, @Nullable String> cell) {
    columns.add(new Column<>(heading, true, cell));
    return this;
  }

  /**
   * Adds a filter.
   *
   * @param values returns the values of an object, any of which may match
   */
  public Listing<T> filter(String key, Function<T, Collection<String>> values) {
    filters.put(key, values);
    return this;
  }

  /**
   * Lets the host apply a filter, so that it sends less. The filter applies here too, because
   * earlier hosts ignore a parameter that they do not know.
   *
   * @param key the name of the filter
   * @param parameter the name of the parameter of the host's list
   */
  public Listing<T> byHost(String key, String parameter, HostFilter how) {
    ofHost.put(key, new Parameter(parameter, how));
    return this;
  }

  /** Returns the filters that the host applies too. */
  Map<String, Parameter> ofHost() {
    return ofHost;
  }

  /** Returns the type of the host's list. */
  public Class<T[]> type() {
    return type;
  }

  /** Returns the id of an object. */
  public String id(T one) {
    return id.apply(one);
  }

  /** Returns the filters by name. */
  Map<String, Function<T, Collection<String>>> filters() {
    return filters;
  }

  /** Returns a table of objects. */
  public Table table(TextStyle style, boolean wide, Iterable<T> all) {
    List<Column<T>> shown = columns.stream().filter(c -> wide || !c.wide()).toList();
    Table table = new Table(style, shown.stream().map(Column::heading).toArray(String[]::new));
    for (T one : all) {
      table.row(
          shown.stream()
              .map(column -> column.cell().apply(one))
              .map(cell -> cell == null ? "" : cell)
              .toArray(String[]::new));
    }
    return table;
  }
}
