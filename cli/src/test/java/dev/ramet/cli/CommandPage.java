// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli;

import dev.ramet.cli.command.Connection;
import dev.ramet.cli.manual.ExitStatuses;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Generates the reference pages of the command line from the commands' own help. */
final class CommandPage {
  private static final int WIDTH = 100;

  /** Options that all or most commands take; the page shows them once. */
  private static final Set<String> COMMON =
      Set.of("--server", "--context", "--ca", "--verbose", "--quiet", "--help", "--version");

  private CommandPage() {}

  /** Returns the content of {@code docs/reference/cli.md}. */
  static String text() {
    StringBuilder page =
        new StringBuilder(
            """
            <!-- Written from the commands of dev.ramet.cli; ReferencePagesTest says how. -->
            # The command line

            Every command prints its help with `--help`, and so does `ramet help COMMAND`. The package installs the same texts as
            man pages: `man ramet-sandbox-create`. `source <(ramet completion)` adds completion to bash and zsh,
            `ramet completion fish | source` to fish; it also completes the ids and names that the host has.

            | exit status | meaning |
            |---|---|
            | 0 | done |
            | 1 | a defect; for `ramet storage check`, findings remain; for `ramet doctor --strict`, the host is degraded |
            | 2 | the caller's input; for `ramet doctor`, the host is broken |
            | 3 | not found |
            | 4 | a conflict |
            | 5 | the host lacks something |
            | 6 | try again |
            | 130 | cancelled, also by the answer to a question |

            `ramet sandbox exec` has the status of the program it ran, and for its own failures [125, 126, 127 or
            4](../how-to/inside.md#run-a-program-from-a-script). [Error codes](errors.md) has the whole list.

            Lists and views share [options for their output](../how-to/output.md). A command that destroys more than one thing asks
            on a terminal and needs `--yes` elsewhere.

            Every command takes `--help` and `--version`. The [commands that ask a host](../how-to/hosts.md) also take the others:

            ```text
            """);
    page.append(options()).append("```\n\n## Commands\n\n| command | |\n|---|---|\n");
    for (CommandLine command : shown()) {
      CommandSpec spec = command.getCommandSpec();
      page.append("| [`").append(spec.qualifiedName()).append("`](commands/").append(file(spec));
      page.append(") | ").append(escaped(spec.usageMessage().description()[0])).append(" |\n");
    }
    return page.toString();
  }

  /** Returns the pages of {@code docs/reference/commands}, by file name. */
  static SortedMap<String, String> pages() {
    SortedMap<String, String> pages = new TreeMap<>();
    for (CommandLine command : shown()) {
      CommandSpec spec = command.getCommandSpec();
      StringBuilder page = new StringBuilder("<!-- Written by ReferencePagesTest. -->\n# `");
      page.append(spec.qualifiedName()).append("`\n\n");
      if (!List.of(spec.aliases()).isEmpty()) {
        page.append("Short: `").append(String.join("`, `", spec.aliases())).append("`.\n\n");
      }
      page.append("```text\n").append(usage(command)).append("```\n\n");
      page.append("| exit status | |\n|---|---|\n");
      ExitStatuses.of(command)
          .forEach((status, meaning) -> page.append("| " + status + " | " + meaning + " |\n"));
      page.append('\n');
      Set<CommandLine> below = new LinkedHashSet<>(command.getSubcommands().values());
      for (CommandLine one : below) {
        CommandSpec sub = one.getCommandSpec();
        page.append("- [`").append(sub.qualifiedName()).append("`](").append(file(sub));
        page.append(")\n");
      }
      page.append(below.isEmpty() ? "" : "\n");
      page.append("[All commands and common options](../cli.md)\n");
      pages.put(file(spec), page.toString());
    }
    return pages;
  }

  private static List<CommandLine> shown() {
    return CommandWalkTest.commands().stream()
        .filter(command -> command.getParent() != null)
        .filter(command -> !command.getCommandSpec().usageMessage().hidden())
        .toList();
  }

  private static String file(CommandSpec spec) {
    return spec.qualifiedName("-").substring("ramet-".length()) + ".md";
  }

  private static String escaped(String text) {
    return text.replace("|", "\\|").replace("<", "\\<").replace("$${", "${");
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
    spec.resourceBundle(new StandardTexts());
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
