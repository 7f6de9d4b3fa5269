// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli;

import dev.ramet.api.ErrorCode;
import dev.ramet.api.RametException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Runs the host in this process. The host's classes are only there when the launcher was asked for
 * {@code serve}: every other command has a short class path and starts in a tenth of a second.
 */
@Command(
    name = "serve",
    description = {
      "Runs the host in the foreground until a signal stops it; sandboxes run on.",
      "What is not given comes from the environment: RAMET_PORT, RAMET_BIND, RAMET_DATA_ROOT, ..."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ramet serve",
      "  ramet serve --port 3001 --data-root /srv/ramet",
      "  ramet serve --set ramet.engine-wait=60s"
    })
final class Serve implements Callable<Integer> {
  private final Context context;

  @Option(names = "--port", paramLabel = "N", description = "TCP port; 3000 unless set.")
  private @Nullable Integer port;

  @Option(
      names = "--bind",
      paramLabel = "ADDRESS",
      description =
          "Address to listen on; 127.0.0.1 unless set. When others reach it, requests need a key.")
  private @Nullable String bind;

  @Option(
      names = "--data-root",
      paramLabel = "DIR",
      description = "Where everything is kept; /var/lib/ramet unless set.")
  private @Nullable Path dataRoot;

  @Option(
      names = "--domain",
      paramLabel = "DOMAIN",
      description = "Guests are reached at <port>-<sandboxID>.DOMAIN.")
  private @Nullable String domain;

  @Option(
      names = "--set",
      paramLabel = "KEY=VALUE",
      description = "Any other setting of the host. May be repeated.")
  private Map<String, String> settings = new LinkedHashMap<>();

  Serve(Context context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    String[] arguments = arguments().toArray(new String[0]);
    try {
      return dev.ramet.server.Main.run(arguments);
    } catch (NoClassDefFoundError e) {
      String home = context.environment("RAMET_HOME");
      throw new RametException(
          ErrorCode.UNSUPPORTED,
          "the host is not on the class path",
          "run it by the launcher: " + (home == null ? "bin" : home + "/bin") + "/ramet serve",
          e);
    }
  }

  /** What was given, as arguments of the host. */
  List<String> arguments() {
    Map<String, String> all = new LinkedHashMap<>();
    put(all, "ramet.port", port);
    put(all, "ramet.bind", bind);
    put(all, "ramet.data-root", dataRoot == null ? null : dataRoot.toAbsolutePath().normalize());
    put(all, "ramet.domain", domain);
    all.putAll(settings);
    List<String> arguments = new ArrayList<>();
    all.forEach((key, value) -> arguments.add("-" + key + "=" + value));
    return arguments;
  }

  private static void put(Map<String, String> all, String key, @Nullable Object value) {
    if (value != null) {
      all.put(key, value.toString());
    }
  }
}
