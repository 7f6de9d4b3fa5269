// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.context;

import dev.ramet.cli.command.Context;
import dev.ramet.cli.command.ForEachId;
import dev.ramet.cli.target.ContextFile;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The command that deletes contexts. */
@Command(
    name = "rm",
    aliases = {"remove", "delete"},
    description = "Deletes contexts. The hosts and the files of their keys stay.",
    exitCodeList = {"3:There is no such context."},
    footerHeading = "%nExamples:%n",
    footer = "  ramet context rm build")
final class Rm implements Callable<Integer> {
  private final Context context;

  @Parameters(arity = "1..*", paramLabel = "NAME", description = "The contexts.")
  private List<String> names = List.of();

  Rm(Context context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    ContextFile file = ContextFile.of(context.environment());
    return ForEachId.apply(context, names, true, file::remove);
  }
}
