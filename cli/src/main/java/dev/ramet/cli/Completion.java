// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli;

import dev.ramet.cli.command.Context;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The command that prints a completion script for a shell. */
@Command(
    name = "completion",
    description = "Prints a completion script for bash and zsh.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  source <(ramet completion)",
      "  ramet completion bash > /etc/bash_completion.d/ramet",
      "  ramet completion zsh >> ~/.zshrc"
    })
final class Completion implements Callable<Integer> {
  /** The supported shells. */
  enum Shell {
    bash,
    zsh
  }

  private final Context context;

  @Parameters(
      arity = "0..1",
      paramLabel = "SHELL",
      defaultValue = "bash",
      description = "${COMPLETION-CANDIDATES}; the same script works for both.")
  private Shell shell = Shell.bash;

  Completion(Context context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    if (shell == Shell.zsh) {
      // When zsh reads a start-up script, its completion system may not be loaded yet.
      context.out().println("autoload -Uz compinit && compinit");
    }
    context.out().print(AutoComplete.bash("ramet", Main.commandLine(context)));
    context.out().flush();
    return 0;
  }
}
