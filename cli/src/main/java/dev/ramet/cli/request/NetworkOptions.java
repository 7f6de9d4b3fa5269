// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.request;

import com.fasterxml.jackson.core.type.TypeReference;
import dev.ramet.api.sandbox.NetworkRule;
import dev.ramet.api.sandbox.NetworkSettings;
import dev.ramet.cli.command.RequestField;
import dev.ramet.cli.http.Json;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options for the egress rules of a sandbox. */
public final class NetworkOptions {
  private static final String EVERYTHING = "0.0.0.0/0";

  @Option(
      names = "--allow-out",
      paramLabel = "NET",
      split = ",",
      description =
          "An address or network that it can reach although --deny-out covers it; if all is"
              + " denied, also a host name, or *.NAME for all names below NAME. May be repeated.")
  @RequestField("network.allowOut")
  private List<String> allowed = new ArrayList<>();

  @Option(
      names = "--deny-out",
      paramLabel = "NET",
      split = ",",
      description = "An address or network that it cannot reach, or all. May be repeated.")
  @RequestField("network.denyOut")
  private List<String> denied = new ArrayList<>();

  @Option(
      names = "--egress-proxy",
      paramLabel = "HOST:PORT",
      description = "A SOCKS5 proxy for its connections.")
  @RequestField({"network.egressProxy.address", "network.egressProxy"})
  private @Nullable String proxy;

  @Option(
      names = "--egress-proxy-user",
      paramLabel = "USER",
      description = "The user name for the proxy.")
  @RequestField("network.egressProxy.username")
  private @Nullable String proxyUser;

  @Option(
      names = "--egress-proxy-password-file",
      paramLabel = "FILE",
      description =
          "A file with that user's password in its first line. The host never shows the password.")
  @RequestField("network.egressProxy.password")
  private @Nullable Path passwordFile;

  @Option(
      names = "--rules",
      paramLabel = "FILE",
      description =
          "JSON with the headers that the host puts into its requests, by host name, as in"
              + " network.rules of the API.")
  @RequestField("network.rules")
  private @Nullable Path rulesFile;

  /** Returns the requested rules, or null for none. */
  public @Nullable NetworkSettings toSettings() {
    NetworkSettings.EgressProxy through = proxy();
    Map<String, @Nullable List<@Nullable NetworkRule>> rules = rules();
    if (allowed.isEmpty() && denied.isEmpty() && through == null && rules == null) {
      return null;
    }
    return new NetworkSettings(
        List.copyOf(allowed),
        denied.stream().map(one -> one.equals("all") ? EVERYTHING : one).toList(),
        null,
        null,
        null,
        through,
        rules);
  }

  /**
   * Returns the settings of a file, with each field that options set replaced by theirs.
   *
   * @param file the file's settings, or null for none
   * @param options the options' settings, or null for none
   */
  public static @Nullable NetworkSettings merge(
      @Nullable NetworkSettings file, @Nullable NetworkSettings options) {
    if (file == null || options == null) {
      return options == null ? file : options;
    }
    return new NetworkSettings(
        isEmpty(options.allowOut()) ? file.allowOut() : options.allowOut(),
        isEmpty(options.denyOut()) ? file.denyOut() : options.denyOut(),
        options.allowPublicTraffic() == null
            ? file.allowPublicTraffic()
            : options.allowPublicTraffic(),
        options.maskRequestHost() == null ? file.maskRequestHost() : options.maskRequestHost(),
        isEmpty(options.httpsPorts()) ? file.httpsPorts() : options.httpsPorts(),
        options.egressProxy() == null ? file.egressProxy() : options.egressProxy(),
        options.rules() == null ? file.rules() : options.rules());
  }

  private static boolean isEmpty(@Nullable List<?> list) {
    return list == null || list.isEmpty();
  }

  private @Nullable Map<String, @Nullable List<@Nullable NetworkRule>> rules() {
    if (rulesFile == null) {
      return null;
    }
    try {
      return Json.mapper()
          .readValue(
              Files.readAllBytes(rulesFile),
              new TypeReference<Map<String, @Nullable List<@Nullable NetworkRule>>>() {});
    } catch (IOException e) {
      throw RametException.invalid("--rules", "cannot be read: " + e.getMessage());
    }
  }

  private NetworkSettings.@Nullable EgressProxy proxy() {
    if (proxy != null) {
      return new NetworkSettings.EgressProxy(proxy, proxyUser, password());
    }
    if (proxyUser != null || passwordFile != null) {
      throw RametException.invalid("--egress-proxy", "is needed with a user or password");
    }
    return null;
  }

  private @Nullable String password() {
    if (passwordFile == null) {
      return null;
    }
    try {
      return Files.readString(passwordFile).lines().findFirst().orElse("");
    } catch (IOException e) {
      throw RametException.invalid(
          "--egress-proxy-password-file", "cannot be read: " + e.getMessage());
    }
  }
}
