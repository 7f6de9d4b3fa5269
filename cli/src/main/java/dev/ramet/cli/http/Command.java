// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.http;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A program to start in a guest. Immutable as far as its collections are.
 *
 * @param program its path, or a name that the guest's PATH finds
 * @param arguments what follows
 * @param environment variables beside the guest's own
 * @param directory where it starts, or null for the user's home
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
  /** A program without anything special. */
  public static Command of(String program, String... arguments) {
    return new Command(program, List.of(arguments), Map.of(), null, false, 60_000);
  }
}
