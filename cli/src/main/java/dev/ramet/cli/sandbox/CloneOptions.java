// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.sandbox;

import dev.ramet.api.sandbox.CloneRequestBody;
import dev.ramet.cli.command.Options;
import dev.ramet.cli.command.RequestField;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of clone and fork. */
final class CloneOptions {
  @Option(
      names = {"-n", "--count"},
      paramLabel = "N",
      defaultValue = "1",
      description = "How many, 1 to 100 (default: ${DEFAULT-VALUE}).")
  @RequestField("count")
  private int count = 1;

  @Option(
      names = {"-c", "--concurrency"},
      paramLabel = "N",
      description = "How many start at the same time.")
  @RequestField("concurrency")
  private @Nullable Integer concurrency;

  @Option(
      names = "--mode",
      paramLabel = "MODE",
      description =
          "The only memory mode for the capture that they start from and for captures of them;"
              + " by default, the mode set for ID.")
  @RequestField("memoryMode")
  private @Nullable String mode;

  int count() {
    return count;
  }

  /**
   * Returns the request.
   *
   * @param timeout lifetime of each clone, as the user wrote it; null for the host's default
   */
  CloneRequestBody request(@Nullable String timeout) {
    return new CloneRequestBody(count, concurrency, Options.timeout(timeout), mode);
  }
}
