// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli;

import dev.ramet.cli.command.Context;
import dev.ramet.cli.manual.ManualPage;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command that shows the help of another one. */
@Command(
    name = "help",
    description = "Shows the help of a command.",
    footerHeading = "%nExamples:%n",
    footer = {"  ramet help", "  ramet help sandbox create"})
final class HelpCommand implements Callable<Integer> {
  private final Context context;

  @Parameters(
      arity = "0..*",
      paramLabel = "COMMAND",
      description = "The words of the command; without any, all commands are listed.")
  private List<String> words = new ArrayList<>();

  /** For the makers of packages. */
  @Option(
      names = "--man",
      paramLabel = "DIRECTORY",
      hidden = true,
      description = "Write the manual pages of all commands into this directory.")
  private @Nullable Path manual;

  HelpCommand(Context context) {
    this.context = context;
  }

  @Override
  public Integer call() throws IOException {
    if (manual != null) {
      ManualPage.write(Main.commandLine(context), manual, Ramet.Version.number());
      return 0;
    }
    CommandLine command =
        words.isEmpty()
            ? Main.commandLine(context, "--help")
            : Main.commandLine(context, words.toArray(new String[0]));
    for (String word : words) {
      CommandLine below = command.getSubcommands().get(word);
      if (below == null) {
        String name = command.getCommandSpec().qualifiedName(" ");
        throw new RametException(
            ErrorCode.INVALID_ARGUMENT,
            "no such command: " + name + " " + word,
            command.getSubcommands().isEmpty()
                ? "see: " + name + " --help"
                : "there are: " + String.join(", ", names(command)),
            null);
      }
      command = below;
    }
    command.usage(context.out());
    return 0;
  }

  private static Iterable<String> names(CommandLine command) {
    TreeSet<String> names = new TreeSet<>();
    command.getSubcommands().values().forEach(below -> names.add(below.getCommandName()));
    return names;
  }
}
