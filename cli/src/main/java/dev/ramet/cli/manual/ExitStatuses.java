// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.manual;

import dev.ramet.cli.command.Connection;
import dev.ramet.cli.command.OwnFailures;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine;

/**
 * The exit statuses of commands, for their pages. A command states its own ones in {@code
 * exitCodeList}; the others follow from what it does.
 */
public final class ExitStatuses {
  private ExitStatuses() {}

  /**
   * Returns the exit statuses of a command in ascending order, each with its meaning. The key
   * {@code any} stands for every status that a program can end with.
   */
  public static Map<String, String> of(CommandLine command) {
    Object code = command.getCommand();
    Map<String, String> statuses = new TreeMap<>(ExitStatuses::compare);
    if (!(code instanceof OwnFailures)) {
      statuses.put("0", "Done.");
      statuses.put("2", "The command line is wrong.");
      if (code instanceof Callable) {
        statuses.put("1", "A defect of Ramet.");
        statuses.put("130", "Interrupted by Ctrl-C.");
      }
      if (code instanceof Connection.User) {
        statuses.put(
            "2", "The command line or the request is wrong, or the key does not permit it.");
        statuses.put("3", "Something that the command names does not exist.");
        statuses.put("4", "The name is taken, or the current state does not allow it.");
        statuses.put("5", "The host lacks something, such as space, a program or a permission.");
        statuses.put("6", "The host or the guest does not answer in time; try again.");
        statuses.put("130", "Cancelled, by Ctrl-C or by the answer to a question.");
      }
    }
    statuses.putAll(command.getCommandSpec().usageMessage().exitCodeList());
    return statuses;
  }

  private static int compare(String one, String other) {
    int byNumber = Integer.compare(number(one), number(other));
    return byNumber != 0 ? byNumber : one.compareTo(other);
  }

  private static int number(String key) {
    return key.chars().allMatch(Character::isDigit) ? Integer.parseInt(key) : Integer.MAX_VALUE;
  }
}
