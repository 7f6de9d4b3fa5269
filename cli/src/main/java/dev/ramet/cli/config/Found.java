// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.config;

import dev.ramet.api.ErrorCode;
import dev.ramet.api.RametException;
import dev.ramet.cli.Context;
import dev.ramet.server.config.Configuration;
import dev.ramet.server.config.Sources;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The settings of the host on this machine: apart, since only the launcher has what reads them. */
final class Found {
  private Found() {}

  static Configuration load(Context context, @Nullable Path file, Map<String, String> flags) {
    try {
      return Configuration.load(Sources.of(file, context.environment(), flags));
    } catch (NoClassDefFoundError e) {
      String home = context.environment("RAMET_HOME");
      throw new RametException(
          ErrorCode.UNSUPPORTED,
          "the host is not on the class path",
          "run it by the launcher, the command first: "
              + (home == null ? "bin" : home + "/bin")
              + "/ramet config …",
          e);
    }
  }
}
