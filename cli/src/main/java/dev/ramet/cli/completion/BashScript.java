// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.completion;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * The completion of bash, which zsh can run. Picocli writes the part for commands and options; it
 * cannot ask a host, so a second function does where the first one found nothing.
 */
public final class BashScript {
  private BashScript() {}

  /** Returns the script for a program. */
  public static String of(CommandLine root) {
    return AutoComplete.bash("ramet", root)
        + """

        # Ids and names come from the host; they are kept for five seconds, and missing without a host.
        _ramet_names() {
          local key="$*"
          if [ "$key" != "${_ramet_key-}" ] || [ $((SECONDS - ${_ramet_asked:-0})) -gt 5 ]; then
            _ramet_found=$(ramet completion --names "$@" 2>/dev/null </dev/null)
            _ramet_key=$key
            _ramet_asked=$SECONDS
          fi
          COMPREPLY=($(compgen -W "$_ramet_found" -- "$current"))
        }

        _ramet_completion() {
          _complete_ramet "$@"
          local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
          local words=() i word skip=
          [ ${#COMPREPLY[@]} -eq 0 ] || return 0
          case $current in -*) return 0 ;; esac
          for ((i = 1; i < COMP_CWORD; i++)); do
            word=${COMP_WORDS[i]}
            if [ -n "$skip" ]; then skip=; continue; fi
            case $word in
              %s) skip=yes ;;
              -*) ;;
              *) words+=("$word") ;;
            esac
          done
          case "${words[0]-} ${words[1]-} $previous" in
        %s  esac
          [ -z "$skip" ] || return 0
          case "${words[0]-} ${words[1]-}" in
        %s    *) return 0 ;;
          esac
          local index=$((${#words[@]} - 2)) last=$(($# - 1)) kinds=("$@")
          if [ "$last" -ge 0 ] && [ "${kinds[last]}" = ... ]; then
            [ "$index" -lt "$last" ] || index=$((last - 1))
          fi
          if [ "$index" -ge 0 ] && [ -n "${kinds[index]-}" ] && [ "${kinds[index]}" != - ]; then
            _ramet_names "${kinds[index]}"
          fi
          return 0
        }
        complete -F _ramet_completion -o default ramet
        """
            .formatted(
                String.join(" | ", Commands.optionsWithValues(root)),
                optionKinds(root),
                parameterKinds(root));
  }

  private static String optionKinds(CommandLine root) {
    StringBuilder cases = new StringBuilder();
    Commands.visit(
        root,
        (command, paths) -> {
          for (OptionSpec option : command.options()) {
            String kind = option.arity().min() > 0 ? LiveNames.kind(option) : null;
            if (kind != null) {
              String patterns =
                  paths.stream()
                      .flatMap(path -> Arrays.stream(option.names()).map(name -> path + " " + name))
                      .map(line -> "'" + line + "'")
                      .collect(Collectors.joining(" | "));
              cases.append("    ").append(patterns).append(") _ramet_names ").append(kind);
              cases.append("; return 0 ;;\n");
            }
          }
        });
    return cases.toString();
  }

  private static String parameterKinds(CommandLine root) {
    StringBuilder cases = new StringBuilder();
    Commands.visit(
        root,
        (command, paths) -> {
          List<PositionalParamSpec> parameters = command.positionalParameters();
          List<String> kinds = new ArrayList<>();
          for (PositionalParamSpec parameter : parameters) {
            kinds.add(Objects.requireNonNullElse(LiveNames.kind(parameter), "-"));
            if (parameter.index().max() > parameter.index().min() || parameter.arity().max() > 1) {
              kinds.add("...");
            }
          }
          if (kinds.stream().anyMatch(kind -> !kind.equals("-") && !kind.equals("..."))) {
            String patterns =
                paths.stream()
                    .map(path -> path.indexOf(' ') < 0 ? "\"" + path + " \"*" : "'" + path + "'")
                    .collect(Collectors.joining(" | "));
            String shift = paths.get(0).indexOf(' ') < 0 ? "words=(x \"${words[@]}\"); " : "";
            cases
                .append("    ")
                .append(patterns)
                .append(") ")
                .append(shift)
                .append("set -- ")
                .append(String.join(" ", kinds))
                .append(" ;;\n");
          }
        });
    return cases.toString();
  }
}
