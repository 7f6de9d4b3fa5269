// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.context;

import dev.ramet.cli.command.Context;
import dev.ramet.cli.target.ContextFile;
import dev.ramet.cli.target.Target;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The command that chooses the context for all later commands. */
@Command(
    name = "use",
    description = "Has later commands ask this host, unless an option or a variable names another.",
    exitCodeList = {"3:There is no such context."},
    footerHeading = "%nExamples:%n",
    footer = {"  ramet context use build", "  ramet context use local"})
final class Use implements Callable<Integer> {
  private final Context context;

  @Parameters(paramLabel = "NAME", description = "A context; local is the host on this machine.")
  private String name = "";

  Use(Context context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    ContextFile.of(context.environment()).use(name.equals(Target.LOCAL) ? null : name);
    Target asked = context.target();
    boolean inForce =
        asked.context() == null
            ? !asked.named() && name.equals(Target.LOCAL)
            : asked.context().name().equals(name);
    if (!inForce) {
      context.notice(
          "warning: commands still ask " + asked.address() + ", because of " + asked.origin());
    }
    return 0;
  }
}
