// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.shell;

import dev.ramet.agent.Command;
import dev.ramet.agent.CommandRefused;
import dev.ramet.agent.Guest;
import dev.ramet.agent.ProcessEvents;
import dev.ramet.agent.ProcessEvents.Event;
import dev.ramet.cli.command.ApiCommand;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.command.Errors;
import dev.ramet.cli.command.Options;
import dev.ramet.cli.command.OwnFailures;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.http.HostedGuest;
import dev.ramet.cli.tty.LocalTerminal;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command that runs a program in a sandbox. */
@picocli.CommandLine.Command(
    name = "exec",
    aliases = "run",
    description = {
      "Runs a program in a sandbox.",
      "Prints output as the program writes it, passes Ctrl-C on, and exits with its status.",
      "Own failures: 127 if there is no such program, 126 if it cannot be executed, 4 if the sandbox"
          + " is paused, 125 otherwise."
    },
    exitCodeList = {
      "4:The sandbox is paused.",
      "125:The command line is wrong, or the host failed.",
      "126:The program cannot be executed.",
      "127:There is no such program.",
      "130:Interrupted by Ctrl-C before the program began.",
      "any:The status of the program."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ramet sandbox exec ID -- uname -a",
      "  ramet sandbox exec ID -w /root -e LEVEL=3 -- sh -c 'echo $LEVEL; pwd'",
      "  tar c project | ramet sandbox exec ID -i -- tar x -C /root",
      "  ramet sandbox exec -it ID -- top",
      "",
      "With --json, each event is printed as the host sends it, one per line."
    })
public final class Exec extends ApiCommand implements OwnFailures {
  /** A failure of this command or of the host, as Docker reports it. */
  private static final int OWN_FAILURE = 125;

  private static final int NOT_EXECUTABLE = 126;
  private static final int NOT_FOUND = 127;

  @Parameters(index = "0", paramLabel = "ID", description = "The sandbox.")
  private String id = "";

  @Parameters(
      index = "1..*",
      arity = "1..*",
      paramLabel = "COMMAND",
      description = "The program and its arguments, after --.")
  private List<String> words = new ArrayList<>();

  @Option(
      names = {"-i", "--interactive"},
      description = "Pass on standard input.")
  private boolean interactive;

  @Option(
      names = {"-t", "--tty"},
      description =
          "Give the program a terminal. With -i it is this one: its size, all keys and signals.")
  private boolean tty;

  @Option(
      names = "--detach-keys",
      paramLabel = "KEYS",
      defaultValue = DetachKeys.USUAL,
      description = "With -it, the keys that leave it running (default: ${DEFAULT-VALUE}).")
  private String detachKeys = DetachKeys.USUAL;

  @Option(
      names = {"-e", "--env"},
      paramLabel = "K=V",
      description = "An environment variable for the program. May be repeated.")
  private Map<String, String> env = new LinkedHashMap<>();

  @Option(
      names = {"-w", "--workdir"},
      paramLabel = "DIR",
      description = "The program's working directory; the user's home unless given.")
  private @Nullable String directory;

  @Option(
      names = {"-u", "--user"},
      paramLabel = "USER",
      description = "The user who runs it; the guest's default user unless given.")
  private @Nullable String user;

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      defaultValue = "never",
      description =
          "Kill the program after this time: 300 (seconds), 90s, 15m, 2h or never (default: never).")
  private String timeout = "never";

  Exec(Context context) {
    super(context);
  }

  @Override
  public int failed(RametException error) {
    int before = Errors.print(context(), error);
    int status = status(error);
    if (status != before) {
      context()
          .err()
          .printf("  exit status %d (%d in earlier versions, 125 to 127 now)%n", status, before);
    }
    return status;
  }

  private static int status(RametException error) {
    if (error.getCause() instanceof CommandRefused refused) {
      return refused.found() ? NOT_EXECUTABLE : NOT_FOUND;
    }
    // A sandbox that is paused is no failure of a program either, but scripts wait for it.
    return error.code() == ErrorCode.CONFLICT ? error.code().exitStatus() : OWN_FAILURE;
  }

  @Override
  protected int run(Client client) throws IOException {
    int seconds = Options.seconds("--timeout", timeout);
    Command command =
        new Command(
            words.get(0),
            words.subList(1, words.size()),
            tty ? TerminalSession.environment(context(), env) : env,
            directory,
            null,
            interactive,
            seconds > 0 ? Duration.ofSeconds(seconds) : null);
    return tty ? onTerminal(client, command) : plain(HostedGuest.of(client, id, user), command);
  }

  private int onTerminal(Client client, Command command) throws IOException {
    DetachKeys keys = DetachKeys.parse(detachKeys);
    if (json()) {
      throw RametException.invalid("--json", "does not go with -t");
    }
    if (interactive && !LocalTerminal.isInput()) {
      throw new RametException(
          ErrorCode.INVALID_ARGUMENT,
          "standard input is not a terminal",
          "leave out -t to pass on a file or a pipe",
          null);
    }
    TerminalTarget target = new TerminalTarget(client, id, user);
    return new TerminalSession(context(), target, keys).run(Program.once(command));
  }

  private int plain(Guest guest, Command command) throws IOException {
    int status = 1;
    try (ProcessEvents events = guest.events(command);
        InterruptForwarder interrupts = new InterruptForwarder()) {
      for (Event event = events.next(); event != null; event = events.next()) {
        if (event.isStart()) {
          interrupts.forwardTo(guest, event.pid());
          if (interactive) {
            InputForwarder.forward(context().in(), guest, event.pid());
          }
        }
        if (event.isEnd()) {
          status = event.status();
        }
        if (json()) {
          context().json(event.json());
        } else if (event.isData()) {
          context().bytes().write(event.out());
          context().err().write(event.err());
          context().err().flush();
        }
      }
    }
    return status;
  }
}
