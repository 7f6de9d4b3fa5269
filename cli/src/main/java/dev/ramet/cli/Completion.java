// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli;

import dev.ramet.cli.command.Context;
import dev.ramet.cli.completion.BashScript;
import dev.ramet.cli.completion.FishScript;
import dev.ramet.cli.completion.LiveNames;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command that prints a completion script for a shell. */
@Command(
    name = "completion",
    description = {
      "Prints a completion script for bash, zsh or fish.",
      "It completes commands, options, and the ids and names that the host has now."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  source <(ramet completion)",
      "  ramet completion bash > /etc/bash_completion.d/ramet",
      "  ramet completion zsh >> ~/.zshrc",
      "  ramet completion fish > ~/.config/fish/completions/ramet.fish"
    })
final class Completion implements Callable<Integer> {
  /** The supported shells. */
  enum Shell {
    bash,
    zsh,
    fish
  }

  /** Longer than a host on this machine takes; a person who presses Tab does not wait longer. */
  private static final Duration LIMIT = Duration.ofMillis(800);

  private final Context context;

  @Parameters(
      arity = "0..1",
      paramLabel = "SHELL",
      defaultValue = "bash",
      description = "One of ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private Shell shell = Shell.bash;

  /** For the scripts: they ask for the ids and names of a kind of object. */
  @Option(
      names = "--names",
      paramLabel = "KIND",
      hidden = true,
      description = "Print the ids and names that the host has now.")
  private @Nullable String kind;

  Completion(Context context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    if (kind != null) {
      LiveNames.of(kind, LIMIT, context::client).forEach(context.out()::println);
      return 0;
    }
    if (shell == Shell.zsh) {
      // When zsh reads a start-up script, its completion system may not be loaded yet.
      context.out().println("autoload -Uz compinit && compinit");
    }
    CommandLine root = Main.commandLine(context);
    context.out().print(shell == Shell.fish ? FishScript.of(root) : BashScript.of(root));
    context.out().flush();
    return 0;
  }
}
