// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.command;

import dev.ramet.cli.http.Client;
import dev.ramet.cli.http.ClientResponse;
import dev.ramet.cli.http.Json;
import dev.ramet.cli.term.Table;
import java.util.concurrent.Callable;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import picocli.CommandLine.Option;

/** Base class of commands that call a host and can print the host's JSON. */
public abstract class ApiCommand implements Callable<Integer>, Connection.User {
  private final Context context;

  @Option(names = "--json", description = "Print the host's JSON answer.")
  private boolean json;

  /** Creates a command. */
  protected ApiCommand(Context context) {
    this.context = context;
  }

  /** Returns the context of this run. */
  protected final Context context() {
    return context;
  }

  /** Returns whether to print JSON. */
  protected final boolean json() {
    return json;
  }

  /**
   * Shows one object as names and values.
   *
   * @param rows adds the object's values to the table
   * @return the exit status
   */
  protected final <T> int show(ClientResponse answer, Class<T> type, BiConsumer<Table, T> rows) {
    return print(
        answer.body(),
        () -> {
          Table table = Table.keyValue(context.paint());
          rows.accept(table, answer.parse(type));
          context.print(table);
        });
  }

  /**
   * Shows a list as a table.
   *
   * @param list the host's JSON
   * @param table the table with its headings
   * @param row adds one object to the table
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
   * Shows only the ids of a list.
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
   * Prints the id of an object that was created or found.
   *
   * @return the exit status
   */
  protected final <T> int printId(ClientResponse answer, Class<T> type, Function<T, String> id) {
    return print(answer.body(), () -> context.out().println(id.apply(answer.parse(type))));
  }

  /** Prints the host's JSON if requested, otherwise the text. */
  private int print(byte[] answer, Runnable text) {
    if (json) {
      context.json(answer);
    } else {
      text.run();
    }
    return 0;
  }

  /**
   * Runs the command.
   *
   * @return the exit status
   */
  protected abstract int run(Client client) throws Exception;

  @Override
  public Integer call() throws Exception {
    return run(context.client());
  }
}
