// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.command;

import dev.ramet.cli.http.ClientResponse;
import dev.ramet.cli.output.OutputFormat;
import dev.ramet.cli.term.Table;
import java.util.function.BiConsumer;
import java.util.function.Function;
import picocli.CommandLine.Mixin;

/** Base class of commands that call a host and show its answer in a chosen format. */
public abstract class ViewCommand extends ApiCommand {
  @Mixin private final OutputOptions output = new OutputOptions();

  /** Creates a command. */
  protected ViewCommand(Context context) {
    super(context);
  }

  /** Returns the options of the output. */
  protected final OutputOptions output() {
    return output;
  }

  /** Returns the requested format. */
  protected final OutputFormat format() {
    return output.format(json());
  }

  /**
   * Shows one object, as names and values in a table.
   *
   * @param id returns its id
   * @param rows adds the object's values to the table
   * @return the exit status
   */
  protected final <T> int show(
      ClientResponse answer, Class<T> type, Function<T, String> id, BiConsumer<Table, T> rows) {
    output.show(
        context(),
        format(),
        answer.body(),
        () -> id.apply(answer.parse(type)),
        () -> {
          Table table = Table.keyValue(context().paint());
          rows.accept(table, answer.parse(type));
          return table;
        });
    return 0;
  }

  /**
   * Prints the answer unless the format is a table.
   *
   * @param id the id, for the format NAME
   * @return whether it was printed
   */
  protected final boolean printed(byte[] answer, String id) {
    OutputFormat format = format();
    if (format.isTable()) {
      return false;
    }
    output.show(context(), format, answer, () -> id, () -> Table.keyValue(context().paint()));
    return true;
  }

  @Override
  public Integer call() throws Exception {
    format(); // two formats are refused before the host is asked
    return super.call();
  }
}
