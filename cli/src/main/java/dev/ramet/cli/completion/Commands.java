// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.completion;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The commands as completion sees them: the words that lead to each. */
final class Commands {
  /** Receives one command. */
  interface Visitor {
    /**
     * Visits a command.
     *
     * @param paths the words that lead to it, with all aliases, such as "sandbox ls" and "sb list"
     */
    void visit(CommandSpec command, List<String> paths);
  }

  private Commands() {}

  /** Visits the program and all its commands. */
  static void visit(CommandLine root, Visitor visitor) {
    visit(root, List.of(""), visitor);
  }

  private static void visit(CommandLine command, List<String> paths, Visitor visitor) {
    visitor.visit(command.getCommandSpec(), paths);
    for (Map.Entry<CommandLine, List<String>> below : below(command).entrySet()) {
      List<String> longer = new ArrayList<>();
      for (String path : paths) {
        below.getValue().forEach(name -> longer.add(path.isEmpty() ? name : path + " " + name));
      }
      visit(below.getKey(), longer, visitor);
    }
  }

  /** Returns the commands directly below one, each with its names. */
  static Map<CommandLine, List<String>> below(CommandLine command) {
    Map<CommandLine, List<String>> names = new LinkedHashMap<>();
    command
        .getSubcommands()
        .forEach((name, sub) -> names.computeIfAbsent(sub, s -> new ArrayList<>()).add(name));
    return names;
  }

  /** Returns the names of the options that are followed by a value, in every command with them. */
  static SortedSet<String> optionsWithValues(CommandLine root) {
    SortedSet<String> names = new TreeSet<>();
    SortedSet<String> flags = new TreeSet<>();
    visit(
        root,
        (command, paths) -> {
          for (OptionSpec option : command.options()) {
            (option.arity().min() > 0 ? names : flags).addAll(List.of(option.names()));
          }
        });
    names.removeAll(flags);
    return names;
  }
}
