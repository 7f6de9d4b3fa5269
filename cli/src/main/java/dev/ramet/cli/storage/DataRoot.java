// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.storage;

import dev.ramet.cli.Context;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option that says which data root is meant. */
public final class DataRoot {
  private static final String DEFAULT = "/var/lib/ramet";

  @Option(
      names = "--data-root",
      paramLabel = "DIR",
      description = "The data root; RAMET_DATA_ROOT or /var/lib/ramet unless given.")
  private @Nullable Path given;

  /** The data root that is meant. */
  public Path path(Context context) {
    Path chosen = given;
    if (chosen == null) {
      String set = context.environment("RAMET_DATA_ROOT");
      chosen = Path.of(set == null ? DEFAULT : set);
    }
    return chosen.toAbsolutePath().normalize();
  }
}
