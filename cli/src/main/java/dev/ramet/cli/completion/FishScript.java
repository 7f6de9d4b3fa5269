// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.completion;

import dev.ramet.cli.manual.Descriptions;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** The completion of fish, which picocli does not write. */
public final class FishScript {
  private final StringBuilder script = new StringBuilder();

  private FishScript() {}

  /** Returns the script for a program. */
  public static String of(CommandLine root) {
    FishScript made = new FishScript();
    made.script.append(
        """
        # The words of the command line before the cursor, without options and their values.
        function __ramet_words
            set -l skip no
            for token in (commandline -opc)[2..-1]
                if test $skip = yes
                    set skip no
                    continue
                end
                switch $token
                    case %s
                        set skip yes
                    case '-*'
                    case '*'
                        echo $token
                end
            end
        end

        # __ramet_at MIN MAX PATH...: whether one of these commands was typed, and between MIN and MAX
        # words after it.
        function __ramet_at
            set -l words (__ramet_words)
            for path in $argv[3..-1]
                set -l parts (string split -n ' ' -- $path)
                set -l more (math (count $words) - (count $parts))
                if test $more -ge $argv[1] -a $more -le $argv[2]
                    if test (count $parts) -eq 0
                        return 0
                    end
                    set -l last (count $parts)
                    if test "$words[1..$last]" = "$parts"
                        return 0
                    end
                end
            end
            return 1
        end

        # Ids and names come from the host; without a host there are none.
        function __ramet_names
            ramet completion --names $argv 2>/dev/null </dev/null
        end

        """
            .formatted(
                Commands.optionsWithValues(root).stream()
                    .map(FishScript::quote)
                    .collect(Collectors.joining(" "))));
    Commands.visit(root, made::command);
    return made.script.toString();
  }

  private void command(CommandSpec command, List<String> paths) {
    boolean group = !command.subcommands().isEmpty();
    for (Map.Entry<CommandLine, List<String>> below :
        Commands.below(command.commandLine()).entrySet()) {
      if (!below.getKey().getCommandSpec().usageMessage().hidden()) {
        String text = first(below.getKey().getCommandSpec().usageMessage().description());
        for (String name : below.getValue()) {
          complete(at(paths, 0, 0), " -f -a " + name, text);
        }
      }
    }
    for (OptionSpec option : command.options()) {
      if (!option.hidden()) {
        option(at(paths, 0, group ? 0 : 999), option);
      }
    }
    for (PositionalParamSpec parameter : command.positionalParameters()) {
      String candidates = candidates(parameter);
      if (candidates != null && !parameter.hidden()) {
        int from = parameter.index().min();
        int to = Math.min(999, Math.max(parameter.index().max(), from));
        complete(at(paths, from, to), " -f -a " + candidates, parameter.paramLabel());
      }
    }
  }

  private void option(String at, OptionSpec option) {
    StringBuilder names = new StringBuilder();
    for (String name : option.names()) {
      names.append(name.startsWith("--") ? " -l " + name.substring(2) : " -s " + name.charAt(1));
    }
    if (option.arity().min() > 0) {
      String candidates = candidates(option);
      boolean file = java.nio.file.Path.class.isAssignableFrom(type(option));
      names.append(candidates != null ? " -x -a " + candidates : file ? " -r -F" : " -x");
    }
    complete(at, names.toString(), Descriptions.of(option));
  }

  private static Class<?> type(ArgSpec argument) {
    return argument.auxiliaryTypes().length == 0 ? argument.type() : argument.auxiliaryTypes()[0];
  }

  private static @Nullable String candidates(ArgSpec argument) {
    String kind = LiveNames.kind(argument);
    if (kind != null) {
      return quote("(__ramet_names " + kind + ")");
    }
    Iterable<String> fixed = argument.completionCandidates();
    return fixed == null
        ? null
        : quote(StreamSupport.stream(fixed.spliterator(), false).collect(Collectors.joining(" ")));
  }

  private void complete(String condition, String what, String description) {
    script
        .append("complete -c ramet -n ")
        .append(quote(condition))
        .append(what)
        .append(" -d ")
        .append(quote(description))
        .append('\n');
  }

  private static String at(List<String> paths, int min, int max) {
    return "__ramet_at "
        + min
        + " "
        + max
        + " "
        + paths.stream().map(path -> "\"" + path + "\"").collect(Collectors.joining(" "));
  }

  private static String first(String[] lines) {
    String line = lines.length == 0 ? "" : lines[0];
    return Descriptions.plain(line);
  }

  private static String quote(String text) {
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
  }
}
