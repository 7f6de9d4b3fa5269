// SPDX-License-Identifier: Apache-2.0
package dev.ramet.client;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A program to run in a sandbox. Immutable and thread-safe.
 *
 * @param program its path, or a name that the guest's PATH finds
 * @param arguments what follows
 * @param environment variables beside the sandbox's own
 * @param directory where it starts, or null for the user's home
 * @param user who runs it, or null for the guest's default
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
  /** Copies what can be changed. */
  public Command {
    arguments = List.copyOf(arguments);
    environment = Map.copyOf(environment);
  }

  /** A program without anything special, killed after a minute. */
  public static Command of(String program, String... arguments) {
    return new Command(
        program, List.of(arguments), Map.of(), null, null, false, Duration.ofMinutes(1));
  }

  /** A line for {@code /bin/sh}, killed after a minute. */
  public static Command shell(String line) {
    return of("/bin/sh", "-c", line);
  }

  /** The same with these variables. */
  public Command withEnvironment(Map<String, String> variables) {
    return new Command(program, arguments, variables, directory, user, input, timeout);
  }

  /** The same in another directory. */
  public Command in(String path) {
    return new Command(program, arguments, environment, path, user, input, timeout);
  }

  /** The same as another user. */
  public Command as(String name) {
    return new Command(program, arguments, environment, directory, name, input, timeout);
  }

  /** The same with an open standard input. */
  public Command withInput() {
    return new Command(program, arguments, environment, directory, user, true, timeout);
  }

  /** The same with another time to live; null for no end. */
  public Command within(@Nullable Duration limit) {
    return new Command(program, arguments, environment, directory, user, input, limit);
  }
}
