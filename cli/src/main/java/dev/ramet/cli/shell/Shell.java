// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.shell;

import dev.ramet.cli.command.Connection;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.tty.LocalTerminal;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command that opens a shell on a terminal in a sandbox. */
@Command(
    name = "shell",
    aliases = "sh",
    description = {
      "Opens a shell in a sandbox, on this terminal, and exits with its status.",
      "After a rollback it attaches to the restored shell again, or opens another if the snapshot is"
          + " older than the shell. Ctrl-P Ctrl-Q leaves it running."
    },
    exitCodeList = {
      "0:The shell ended with status 0, or it was left running.",
      "any:The status of the shell."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ramet sandbox shell ID",
      "  ramet sandbox shell ID -u user -w /srv",
      "  ramet sandbox shell ID --attach PID        # after Ctrl-P Ctrl-Q"
    })
public final class Shell implements Callable<Integer>, Connection.User {

  /** The user's own shell. */
  private static final String USUAL =
      "s=${SHELL:-/bin/sh}; [ -x \"$s\" ] || s=/bin/sh; exec \"$s\" -l";

  @Parameters(index = "0", paramLabel = "ID", description = "The sandbox.")
  private String id = "";

  @Option(
      names = {"-e", "--env"},
      paramLabel = "K=V",
      description = "An environment variable for the shell. May be repeated.")
  private Map<String, String> env = new LinkedHashMap<>();

  @Option(
      names = {"-w", "--workdir"},
      paramLabel = "DIR",
      description = "Where it begins; the user's home unless given.")
  private @Nullable String directory;

  @Option(
      names = {"-u", "--user"},
      paramLabel = "USER",
      description = "The user who runs it; the guest's default user unless given.")
  private @Nullable String user;

  @Option(
      names = "--shell",
      paramLabel = "PROGRAM",
      description = "The shell; the user's login shell unless given.")
  private @Nullable String program;

  @Option(
      names = "--attach",
      paramLabel = "PID",
      description = "Attach to this process, which has a terminal, instead of opening a shell.")
  private @Nullable Long attached;

  @Option(
      names = "--detach-keys",
      paramLabel = "KEYS",
      defaultValue = DetachKeys.USUAL,
      description = "The keys that leave it running (default: ${DEFAULT-VALUE}).")
  private String detachKeys = DetachKeys.USUAL;

  private final Context context;

  Shell(Context context) {
    this.context = context;
  }

  @Override
  public Integer call() throws IOException {
    if (!context.terminal().output() || !LocalTerminal.isInput()) {
      throw new RametException(
          ErrorCode.INVALID_ARGUMENT,
          "a shell needs a terminal as standard input and output",
          "to run commands from a script: ramet sandbox exec -i " + id + " -- sh < script",
          null);
    }
    DetachKeys keys = DetachKeys.parse(detachKeys);
    TerminalTarget target = new TerminalTarget(context.client(), id, user);
    String start = program;
    dev.ramet.agent.Command command =
        new dev.ramet.agent.Command(
            start == null ? "/bin/sh" : start,
            start == null ? List.of("-c", USUAL) : List.of(),
            TerminalSession.environment(context, env),
            directory,
            null,
            true,
            null);
    Long pid = attached;
    return new TerminalSession(context, target, keys)
        .run(pid == null ? Program.reopened(command) : Program.running(pid));
  }
}
