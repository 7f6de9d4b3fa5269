// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.sandbox;

import dev.ramet.api.sandbox.CloneRequestBody;
import dev.ramet.cli.Options;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How many machines are made of one that runs, and how. */
final class CloneOptions {
  @Option(
      names = {"-n", "--count"},
      paramLabel = "N",
      defaultValue = "1",
      description = "How many, 1 to 100 (default: ${DEFAULT-VALUE}).")
  private int count = 1;

  @Option(
      names = {"-c", "--concurrency"},
      paramLabel = "N",
      description = "How many start at the same time.")
  private @Nullable Integer concurrency;

  @Option(
      names = "--mode",
      paramLabel = "MODE",
      description =
          "The only memory mode for the capture they start from and for captures of them; else"
              + " what holds for ID.")
  private @Nullable String mode;

  int count() {
    return count;
  }

  /**
   * The request.
   *
   * @param timeout when each is killed, as it was given; null for what the host says
   */
  CloneRequestBody request(@Nullable String timeout) {
    return new CloneRequestBody(count, concurrency, Options.timeout(timeout), mode);
  }
}
