// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.storage;

import dev.ramet.cli.command.Context;
import dev.ramet.cli.config.HostOptions;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option that selects the data root. */
public final class DataRoot {
  @Option(
      names = "--data-root",
      paramLabel = "DIR",
      description = "The data root; unless given, that of the host on this machine.")
  private @Nullable Path given;

  /** Returns whether it was given on the command line. */
  public boolean isGiven() {
    return given != null;
  }

  /** Returns the selected data root. */
  public Path path(Context context) {
    Path chosen = given;
    if (chosen == null) {
      chosen = Path.of(Objects.requireNonNull(HostOptions.set(context, "ramet.data-root")));
    }
    return chosen.toAbsolutePath().normalize();
  }
}
