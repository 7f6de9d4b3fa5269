// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.request;

import dev.ramet.api.sandbox.NetworkSettings;
import dev.ramet.cli.command.RequestField;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options for requests to a sandbox's ports, which are fixed at its creation. */
public final class InboundOptions {
  @Option(
      names = "--private",
      description =
          "Its ports are reachable only with its traffic access token, which show prints.")
  @RequestField("network.allowPublicTraffic")
  private boolean closed;

  @Option(
      names = "--host-mask",
      paramLabel = "HOST",
      description = "The Host header that its servers see; $${PORT} in it stands for the port.")
  @RequestField("network.maskRequestHost")
  private @Nullable String mask;

  @Option(
      names = "--https-port",
      paramLabel = "PORT",
      split = ",",
      description = "A port whose server in the sandbox speaks TLS. May be repeated.")
  @RequestField("network.httpsPorts")
  private List<Integer> httpsPorts = new ArrayList<>();

  /**
   * Returns network settings with these options and the given egress rules, or null if there are
   * none.
   */
  public @Nullable NetworkSettings applyTo(@Nullable NetworkSettings outbound) {
    if (!closed && mask == null && httpsPorts.isEmpty()) {
      return outbound;
    }
    return new NetworkSettings(
        outbound == null ? null : outbound.allowOut(),
        outbound == null ? null : outbound.denyOut(),
        closed ? Boolean.FALSE : null,
        mask,
        httpsPorts.isEmpty() ? null : List.copyOf(httpsPorts),
        outbound == null ? null : outbound.egressProxy(),
        outbound == null ? null : outbound.rules());
  }
}
