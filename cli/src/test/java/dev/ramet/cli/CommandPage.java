// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli;

import dev.ramet.cli.command.Connection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Generates the reference page of the command line from the commands' own help. */
final class CommandPage {
  private static final int WIDTH = 100;

  /** Options that all or most commands take; the page shows them once. */
  private static final Set<String> COMMON =
      Set.of("--server", "--context", "--ca", "--verbose", "--quiet", "--help", "--version");

  private final StringBuilder page = new StringBuilder();

  private CommandPage() {}

  /** Returns the content of {@code docs/reference/cli.md}. */
  static String text() {
    CommandPage made = new CommandPage();
    made.page.append(
        """
        <!-- Written from the commands of dev.ramet.cli; ReferencePagesTest says how. -->
        # The command line

        Every command prints this help with `--help`. `source <(ramet completion)` adds completion to bash and zsh.

        | exit status | meaning |
        |---|---|
        | 0 | done |
        | 1 | a defect; for `ramet storage check`, findings remain; for `ramet doctor`, the host is degraded |
        | 2 | the caller's input; for `ramet doctor`, the host is broken |
        | 3 | not found |
        | 4 | a conflict |
        | 5 | the host lacks something |
        | 6 | try again |
        | 130 | cancelled |

        `ramet sandbox exec` has the status of the program it ran. [Error codes](errors.md) has the whole list.

        Every command takes `--help` and `--version`. The [commands that ask a host](../how-to/hosts.md) also take the others:

        ```text
        """);
    CommandLine root = Main.commandLine(CommandsTest.context());
    made.page.append(options()).append("```\n");
    for (TopLevel.Entry entry : TopLevel.ALL) {
      CommandLine command = root.getSubcommands().get(entry.names().get(0));
      if (command == null) {
        throw new AssertionError(entry.names().get(0));
      }
      made.command(command, "##");
    }
    return made.page.toString();
  }

  private void command(CommandLine command, String mark) {
    CommandSpec spec = command.getCommandSpec();
    page.append('\n').append(mark).append(" `").append(spec.qualifiedName()).append("`\n\n");
    if (!List.of(spec.aliases()).isEmpty()) {
      page.append("Short: `").append(String.join("`, `", spec.aliases())).append("`.\n\n");
    }
    page.append("```text\n").append(usage(command)).append("```\n");
    for (Map.Entry<String, CommandLine> below : command.getSubcommands().entrySet()) {
      if (below.getKey().equals(below.getValue().getCommandName())) {
        command(below.getValue(), mark + "#");
      }
    }
  }

  /** Returns the help without the options that every command takes. */
  private static String usage(CommandLine command) {
    CommandSpec spec = command.getCommandSpec();
    for (OptionSpec option : List.copyOf(spec.options())) {
      // The -q of lists is an option of their own.
      if (COMMON.contains(option.longestName()) && !option.shortestName().equals("-q")) {
        spec.remove(option);
      }
    }
    return help(command);
  }

  private static String options() {
    CommandSpec spec = CommandSpec.create().mixinStandardHelpOptions(true);
    new Connection().addTo(spec, false);
    String help = help(new CommandLine(spec));
    return help.substring(help.indexOf("      --ca"));
  }

  private static String help(CommandLine command) {
    command.setUsageHelpAutoWidth(false);
    command.setUsageHelpWidth(WIDTH);
    StringBuilder text = new StringBuilder();
    for (String line : command.getUsageMessage(Ansi.OFF).split("\\R", -1)) {
      text.append(line.stripTrailing()).append('\n');
    }
    return text.toString().stripTrailing() + "\n";
  }
}
