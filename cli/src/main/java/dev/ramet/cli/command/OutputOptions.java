// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.cli.http.Json;
import dev.ramet.cli.output.JsonPathTemplate;
import dev.ramet.cli.output.Listing;
import dev.ramet.cli.output.OutputFormat;
import dev.ramet.cli.output.OutputFormat.Kind;
import dev.ramet.cli.output.Yaml;
import dev.ramet.cli.term.Table;
import dev.ramet.errors.RametException;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of every command that lists or shows something. Used by one thread. */
public final class OutputOptions {
  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      converter = OutputFormat.Converter.class,
      completionCandidates = OutputFormat.Candidates.class,
      description = "Print it as table, wide, json, yaml, name or jsonpath=TEMPLATE.")
  private @Nullable OutputFormat format;

  @Option(names = "--no-headers", description = "Print tables without their headings.")
  private boolean noHeaders;

  /**
   * Returns the requested format.
   *
   * @param json whether {@code --json} was given, which is the format JSON
   * @throws RametException INVALID_ARGUMENT when two formats were given
   */
  public OutputFormat format(boolean json) {
    OutputFormat asked = format;
    if (json && asked != null && asked.kind() != Kind.JSON) {
      throw RametException.invalid("--json", "cannot be combined with another --output");
    }
    if (json) {
      return OutputFormat.JSON;
    }
    return asked == null ? OutputFormat.TABLE : asked;
  }

  /** Returns whether tables have headings. */
  public boolean headings() {
    return !noHeaders;
  }

  /** Prints a list. */
  public <T> void list(Context context, OutputFormat format, byte[] list, Listing<T> listing) {
    list(context, format, list, listing, true);
  }

  /** Prints a list; the part of a list that continues another has no headings. */
  <T> void list(
      Context context, OutputFormat format, byte[] list, Listing<T> listing, boolean headings) {
    List<T> all = format.isTable() || format.kind() == Kind.NAME ? read(list, listing) : List.of();
    if (format.kind() == Kind.NAME) {
      all.forEach(one -> context.out().println(listing.id(one)));
    } else if (format.isTable()) {
      Table table = listing.table(context.paint(), format.kind() == Kind.WIDE, all);
      print(context, headings ? table : table.withoutHeadings());
    } else {
      data(context, format, list);
    }
  }

  /**
   * Prints one object.
   *
   * @param id its id, for the format NAME
   * @param table its table, for the formats that are tables
   */
  public void show(
      Context context,
      OutputFormat format,
      byte[] object,
      Supplier<String> id,
      Supplier<Table> table) {
    if (format.kind() == Kind.NAME) {
      context.out().println(id.get());
    } else if (format.isTable()) {
      print(context, table.get());
    } else {
      data(context, format, object);
    }
  }

  /** Prints a table with or without its headings. */
  public void print(Context context, Table table) {
    lines(table).forEach(context.out()::println);
  }

  /** Returns the lines of a table, with or without its headings. */
  List<String> lines(Table table) {
    return (noHeaders ? table.withoutHeadings() : table).lines();
  }

  /** Prints JSON in a format that is neither a table nor names. */
  public static void data(Context context, OutputFormat format, byte[] json) {
    if (format.kind() == Kind.JSON) {
      context.json(json);
      return;
    }
    JsonNode tree = Json.tree(json);
    if (format.kind() == Kind.YAML) {
      context.out().print(Yaml.write(tree));
    } else {
      JsonPathTemplate template = Objects.requireNonNull(format.template());
      String text = template.render(tree);
      context.out().print(text.isEmpty() || text.endsWith("\n") ? text : text + "\n");
    }
    context.out().flush();
  }

  private static <T> List<T> read(byte[] list, Listing<T> listing) {
    return List.of(Json.read(list, listing.type()));
  }
}
