// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli;

import dev.ramet.cli.http.Client;
import java.util.concurrent.Callable;
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
