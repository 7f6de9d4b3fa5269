// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.config;

import dev.ramet.cli.command.Context;
import dev.ramet.errors.ErrorCode;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * The options with which a host starts. Picocli inspects the methods of this class whenever any
 * command runs, and the host's classes are not always available, so they may be used only inside
 * methods.
 */
public final class HostOptions {
  @Option(
      names = "--config",
      paramLabel = "FILE",
      description =
          "The file of settings. Otherwise RAMET_CONFIG; otherwise conf/ramet.yaml where Ramet is"
              + " installed, or /etc/ramet/ramet.yaml.")
  private @Nullable Path file;

  @Option(names = "--port", paramLabel = "N", description = "TCP port; 3000 unless set.")
  private @Nullable Integer port;

  @Option(
      names = "--bind",
      paramLabel = "ADDRESS",
      description = "Address to listen on; 127.0.0.1 unless set.")
  private @Nullable String bind;

  @Option(
      names = "--data-root",
      paramLabel = "DIR",
      description = "The directory that holds all data; /var/lib/ramet unless set.")
  private @Nullable Path dataRoot;

  @Option(
      names = "--domain",
      paramLabel = "DOMAIN",
      description = "Clients reach a guest's port at <port>-<sandboxID>.DOMAIN.")
  private @Nullable String domain;

  @Option(
      names = "--set",
      paramLabel = "KEY=VALUE",
      description = "Any other setting of the host. May be repeated.")
  private Map<String, String> settings = new LinkedHashMap<>();

  /** Returns the file of settings, or null for the default one. */
  public @Nullable Path file() {
    return file == null ? null : file.toAbsolutePath().normalize();
  }

  /** Returns the given options, by the names of their settings. */
  public Map<String, String> flags() {
    Map<String, String> all = new LinkedHashMap<>();
    put(all, "ramet.port", port);
    put(all, "ramet.bind", bind);
    put(all, "ramet.data-root", dataRoot == null ? null : dataRoot.toAbsolutePath().normalize());
    put(all, "ramet.domain", domain);
    all.putAll(settings);
    return all;
  }

  private static void put(Map<String, String> all, String key, @Nullable Object value) {
    if (value != null) {
      all.put(key, value.toString());
    }
  }

  /**
   * Returns the value of a setting of the host on this machine. Loads no plugin.
   *
   * @return null when it is not set and has no default
   * @throws dev.ramet.errors.RametException {@code INVALID_ARGUMENT} when a setting is invalid
   */
  public static @Nullable String set(Context context, String key) {
    return HostSettingsFile.loadWithoutPlugins(context).text(key);
  }

  /** Prints the warnings. */
  static void warn(Context context, List<?> warnings) {
    String label = context.terminal().onError().warn("warning:");
    warnings.forEach(warning -> context.err().println(label + " " + warning));
  }

  /**
   * Prints the errors.
   *
   * @return the exit status
   */
  static int print(Context context, List<?> problems) {
    String error = context.terminal().onError().failure("error:");
    problems.forEach(problem -> context.err().println(error + " " + problem));
    return ErrorCode.INVALID_ARGUMENT.exitStatus();
  }
}
