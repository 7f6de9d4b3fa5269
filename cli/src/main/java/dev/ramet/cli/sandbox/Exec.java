// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.sandbox;

import dev.ramet.agent.Command;
import dev.ramet.agent.Guest;
import dev.ramet.agent.ProcessEvents;
import dev.ramet.agent.ProcessEvents.Event;
import dev.ramet.cli.command.ApiCommand;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.http.HostedGuest;
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
      "Prints output as the program writes it, passes Ctrl-C on, and exits with its status."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ramet sandbox exec ID -- uname -a",
      "  ramet sandbox exec ID -w /root -e LEVEL=3 -- sh -c 'echo $LEVEL; pwd'",
      "  tar c project | ramet sandbox exec ID -i -- tar x -C /root",
      "",
      "With --json, each event is printed as the host sends it, one per line."
    })
final class Exec extends ApiCommand {
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
      paramLabel = "SECONDS",
      defaultValue = "0",
      description = "Kill the program after this many seconds.")
  private long timeoutSeconds;

  Exec(Context context) {
    super(context);
  }

  @Override
  protected int run(Client client) throws IOException {
    Guest guest = HostedGuest.of(client, id, user);
    Command command =
        new Command(
            words.get(0),
            words.subList(1, words.size()),
            env,
            directory,
            null,
            interactive,
            timeoutSeconds > 0 ? Duration.ofSeconds(timeoutSeconds) : null);
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
