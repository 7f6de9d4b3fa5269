// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.storage;

import dev.ramet.cli.command.Context;
import dev.ramet.cli.command.ViewCommand;
import dev.ramet.errors.RametException;
import java.net.ConnectException;
import java.nio.file.Path;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Base class of commands that call a host or, if none runs on this machine, work on the data root
 * directly. If the user named a host, only that host is called.
 */
abstract class RootCommand extends ViewCommand {
  /** The last line of each such command's help. */
  static final String FOOTER =
      "If no host is named or runs here, the command opens the data root itself; no host can start"
          + " on it meanwhile.";

  @Option(
      names = "--offline",
      description =
          "Do not ask a host, but open the data root on this machine; no host may be running on"
              + " it.")
  private boolean offline;

  @Mixin private DataRoot dataRoot = new DataRoot();

  RootCommand(Context context) {
    super(context);
  }

  /**
   * Runs the command without a host.
   *
   * @param dataRoot the data root
   * @return the exit status
   */
  abstract int runOffline(Path dataRoot);

  /** Returns what the command does to the data root, such as "checking". */
  abstract String action();

  @Override
  public final Integer call() throws Exception {
    format(); // two formats are refused before anything is opened
    if (offline || dataRoot.isGiven()) {
      return runOffline(dataRoot.path(context()));
    }
    try {
      return super.call();
    } catch (RametException e) {
      if (!(e.getCause() instanceof ConnectException)) {
        throw e;
      }
      if (context().isHostNamed()) {
        throw new RametException(
            e.code(),
            String.valueOf(e.getMessage()),
            e.remedy() + "; to check the data root on this machine without a host: --offline",
            e);
      }
    }
    Path root = dataRoot.path(context());
    context().err().println("no host runs; " + action() + " " + root + " directly");
    return runOffline(root);
  }
}
