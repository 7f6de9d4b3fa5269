// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.command;

import dev.ramet.cli.http.Client;
import dev.ramet.cli.http.ClientResponse;
import java.util.concurrent.Callable;
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
   * Prints the id of an object that was created or found.
   *
   * @return the exit status
   */
  protected final <T> int printId(ClientResponse answer, Class<T> type, Function<T, String> id) {
    if (json) {
      context.json(answer.body());
    } else {
      context.out().println(id.apply(answer.parse(type)));
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
