// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli;

import dev.ramet.cli.http.Answer;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.http.Json;
import dev.ramet.cli.term.Table;
import java.util.concurrent.Callable;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import picocli.CommandLine.Option;

/** A command that asks a host and can answer in the host's own JSON. */
public abstract class ApiCommand implements Callable<Integer> {
  private final Context context;

  @Option(names = "--json", description = "Print the host's JSON answer.")
  private boolean json;

  /** For subclasses. */
  protected ApiCommand(Context context) {
    this.context = context;
  }

  /** What this run works with. */
  protected final Context context() {
    return context;
  }

  /** Whether JSON is wanted. */
  protected final boolean json() {
    return json;
  }

  /**
   * Shows one thing by names and values.
   *
   * @param rows adds what there is to say of it
   * @return the exit status
   */
  protected final <T> int show(Answer answer, Class<T> type, BiConsumer<Table, T> rows) {
    return print(
        answer.body(),
        () -> {
          Table table = Table.pairs(context.paint());
          rows.accept(table, answer.as(type));
          context.print(table);
        });
  }

  /**
   * Lists things in a table.
   *
   * @param list the host's JSON
   * @param table has the headings
   * @param row adds one of them to the table
   * @return the exit status
   */
  protected final <T> int list(byte[] list, Class<T[]> type, Table table, Consumer<T> row) {
    return print(
        list,
        () -> {
          for (T one : Json.read(list, type)) {
            row.accept(one);
          }
          context.print(table);
        });
  }

  /**
   * Lists things by their ids alone.
   *
   * @param list the host's JSON
   * @return the exit status
   */
  protected final <T> int ids(byte[] list, Class<T[]> type, Function<T, String> id) {
    return print(
        list,
        () -> {
          for (T one : Json.read(list, type)) {
            context.out().println(id.apply(one));
          }
        });
  }

  /**
   * Tells the id of what was made or found.
   *
   * @return the exit status
   */
  protected final <T> int made(Answer answer, Class<T> type, Function<T, String> id) {
    return print(answer.body(), () -> context.out().println(id.apply(answer.as(type))));
  }

  /** Prints the host's JSON where that is wanted, else what is made of it. */
  private int print(byte[] answer, Runnable text) {
    if (json) {
      context.json(answer);
    } else {
      text.run();
    }
    return 0;
  }

  /**
   * Does the work.
   *
   * @return the exit status
   */
  protected abstract int run(Client client) throws Exception;

  @Override
  public Integer call() throws Exception {
    return run(context.client());
  }
}
