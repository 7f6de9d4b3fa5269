// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.sandbox;

import dev.ramet.api.NetworkSettings;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which addresses a sandbox reaches. */
final class NetworkOptions {
  private static final String EVERYTHING = "0.0.0.0/0";

  @Option(
      names = "--allow-out",
      paramLabel = "NET",
      split = ",",
      description = "An address or network that it reaches although it is denied. May be repeated.")
  private List<String> allowed = new ArrayList<>();

  @Option(
      names = "--deny-out",
      paramLabel = "NET",
      split = ",",
      description = "An address or network that it does not reach, or all. May be repeated.")
  private List<String> denied = new ArrayList<>();

  /** What was asked for, or null for nothing. */
  @Nullable NetworkSettings settings() {
    return allowed.isEmpty() && denied.isEmpty()
        ? null
        : new NetworkSettings(
            List.copyOf(allowed),
            denied.stream().map(one -> one.equals("all") ? EVERYTHING : one).toList());
  }
}
