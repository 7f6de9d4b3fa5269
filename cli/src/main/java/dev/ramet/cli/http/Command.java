// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.http;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A program to start in a guest. Immutable if its collections are not modified.
 *
 * @param program its path, or a name to find in the guest's PATH
 * @param arguments its arguments
 * @param environment environment variables in addition to the guest's
 * @param directory its working directory, or null for the user's home
 * @param input whether its standard input is open
 * @param timeoutMillis when it is killed, or 0 for never
 */
public record Command(
    String program,
    List<String> arguments,
    Map<String, String> environment,
    @Nullable String directory,
    boolean input,
    long timeoutMillis) {
  /** Returns a command with default settings. */
  public static Command of(String program, String... arguments) {
    return new Command(program, List.of(arguments), Map.of(), null, false, 60_000);
  }
}
