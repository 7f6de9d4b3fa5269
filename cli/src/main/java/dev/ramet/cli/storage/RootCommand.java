// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.storage;

import dev.ramet.cli.ApiCommand;
import dev.ramet.cli.Context;
import dev.ramet.errors.RametException;
import java.net.ConnectException;
import java.nio.file.Path;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * A command that asks a host, and where none runs on this machine does the same on the data root
 * itself. A host that somebody named is asked, and nobody else.
 */
abstract class RootCommand extends ApiCommand {
  /** The end of each such command's help. */
  static final String FOOTER =
      "Where no host is named or runs here, it looks at the data root itself; hosts wait outside.";

  @Option(
      names = "--offline",
      description = "Ask no host: look at the data root on this machine, on which none may run.")
  private boolean offline;

  @Mixin private DataRoot dataRoot = new DataRoot();

  RootCommand(Context context) {
    super(context);
  }

  /**
   * Does the work without a host.
   *
   * @param dataRoot where
   * @return the exit status
   */
  abstract int atRest(Path dataRoot);

  /** What it does to the data root, such as "checking". */
  abstract String doing();

  @Override
  public final Integer call() throws Exception {
    if (offline || dataRoot.isGiven()) {
      return atRest(dataRoot.path(context()));
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
            e.remedy() + "; for the data root on this machine without a host: --offline",
            e);
      }
    }
    Path root = dataRoot.path(context());
    context().err().println("no host runs; " + doing() + " " + root + " directly");
    return atRest(root);
  }
}
