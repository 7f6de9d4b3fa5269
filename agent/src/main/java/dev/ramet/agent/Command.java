// SPDX-License-Identifier: Apache-2.0
package dev.ramet.agent;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A program to run in a guest. Immutable and thread-safe.
 *
 * @param program its path, or a name to find in the guest's PATH
 * @param arguments its arguments
 * @param environment environment variables in addition to the guest's own
 * @param directory its working directory, or null for the user's home
 * @param user the user to run it as, or null for the guest's default
 * @param input whether its standard input stays open for {@link GuestProcess#write}
 * @param timeout when it is killed, or null for never
 */
public record Command(
    String program,
    List<String> arguments,
    Map<String, String> environment,
    @Nullable String directory,
    @Nullable String user,
    boolean input,
    @Nullable Duration timeout) {
  /** Copies the collections. */
  public Command {
    arguments = List.copyOf(arguments);
    environment = Map.copyOf(environment);
  }

  /** Returns a command with default settings that is killed after a minute. */
  public static Command of(String program, String... arguments) {
    return new Command(
        program, List.of(arguments), Map.of(), null, null, false, Duration.ofMinutes(1));
  }

  /** Returns a command that runs a line in {@code /bin/sh} and is killed after a minute. */
  public static Command shell(String line) {
    return of("/bin/sh", "-c", line);
  }

  /** Returns this command with other environment variables. */
  public Command withEnvironment(Map<String, String> variables) {
    return new Command(program, arguments, variables, directory, user, input, timeout);
  }

  /** Returns this command with another working directory. */
  public Command in(String path) {
    return new Command(program, arguments, environment, path, user, input, timeout);
  }

  /** Returns this command for another user. */
  public Command as(String name) {
    return new Command(program, arguments, environment, directory, name, input, timeout);
  }

  /** Returns this command with an open standard input. */
  public Command withInput() {
    return new Command(program, arguments, environment, directory, user, true, timeout);
  }

  /** Returns this command with another timeout; null for none. */
  public Command within(@Nullable Duration limit) {
    return new Command(program, arguments, environment, directory, user, input, limit);
  }
}
