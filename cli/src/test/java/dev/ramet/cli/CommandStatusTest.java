// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.cli.command.Connection;
import dev.ramet.cli.manual.ExitStatuses;
import dev.ramet.errors.ErrorCode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** Tests that every command's page has an example and the exit statuses that the command has. */
final class CommandStatusTest {
  private static final Pattern STATUS = Pattern.compile("[0-9]{1,3}|any");
  private static final Pattern SENTENCE = Pattern.compile("[A-Z].*\\.");

  private static String name(CommandLine command) {
    return command.getCommandSpec().qualifiedName(" ");
  }

  @Test
  void everyCommandHasAnExampleOfItself() {
    List<String> without = new ArrayList<>();
    for (CommandLine command : CommandWalkTest.commands()) {
      String words = command.getParent() == null ? "ramet " : name(command);
      // Of a group, a command below it; of a command, one of its names.
      if (command.getParent() != null
          && Arrays.stream(command.getCommandSpec().usageMessage().footer())
              .noneMatch(line -> line.startsWith("  ") && line.contains(words))) {
        without.add(words);
      }
    }
    assertEquals(List.of(), without);
  }

  @Test
  void everyCommandStatesItsStatuses() {
    for (CommandLine command : CommandWalkTest.commands()) {
      Map<String, String> statuses = ExitStatuses.of(command);
      assertTrue(statuses.size() >= 2, name(command));
      statuses.forEach(
          (status, meaning) -> {
            assertTrue(STATUS.matcher(status).matches(), name(command) + ": " + status);
            assertTrue(SENTENCE.matcher(meaning).matches(), name(command) + ": " + meaning);
          });
    }
  }

  /** An error code with a new status must be explained too. */
  @Test
  void commandsThatAskAHostHaveTheStatusesOfAllErrors() {
    Set<String> possible =
        Arrays.stream(ErrorCode.values())
            .map(code -> "" + code.exitStatus())
            .collect(Collectors.toCollection(TreeSet::new));
    possible.add("0");
    for (CommandLine command : CommandWalkTest.commands()) {
      if (command.getCommand() instanceof Connection.User && !name(command).endsWith(" exec")) {
        assertTrue(ExitStatuses.of(command).keySet().containsAll(possible), name(command));
      }
    }
  }

  @Test
  void helpDoesNotRepeatThem() {
    String help = FakeHost.run(Map.of(), new byte[0], "sandbox", "exec", "--help").out();
    assertFalse(help.contains("The status of the program."), help);
  }

  /** The options that name the host are in the help of all commands that ask one. */
  @Test
  void onlyCommandsOnFilesOfThisMachineNameNoHost() {
    Set<String> local = new TreeSet<>();
    for (CommandLine command : CommandWalkTest.commands()) {
      OptionSpec server = command.getCommandSpec().findOption("--server");
      if (command.getCommand() instanceof Callable && (server == null || server.hidden())) {
        local.add(name(command).substring("ramet ".length()));
      }
    }
    assertEquals(
        Set.of(
            "completion",
            "config check",
            "config show",
            "context ls",
            "context rm",
            "context use",
            "help",
            "key create",
            "key ls",
            "key revoke",
            "serve",
            "storage provision",
            "storage remove",
            "storage status",
            "storage unmount"),
        local);
  }
}
