// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.view;

import dev.ramet.api.sandbox.NetworkRule;
import dev.ramet.api.sandbox.NetworkSettings;
import dev.ramet.egress.rule.NetworkRules;
import dev.ramet.egress.rule.RequestRules;
import dev.ramet.egress.rule.UpstreamProxy;
import dev.ramet.engine.sandboxes.InboundRules;
import dev.ramet.engine.sandboxes.SandboxRules;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Converts the network rules of sandboxes to their wire form. */
final class NetworkView {
  private NetworkView() {}

  /**
   * Converts the network rules of a sandbox.
   *
   * @param all whether to include the rules for requests, whose headers may contain credentials
   */
  static @Nullable NetworkSettings of(SandboxRules rules, boolean all) {
    NetworkRules out = rules.network();
    InboundRules in = rules.inbound();
    if (out.isEmpty() && in.equals(InboundRules.PLAIN)) {
      return null;
    }
    return new NetworkSettings(
        out.allowOut(),
        out.denyOut(),
        in.anyone() ? null : Boolean.FALSE,
        in.hostMask(),
        in.httpsPorts().isEmpty() ? null : List.copyOf(in.httpsPorts()),
        proxy(out.egressProxy()),
        out.requests().isEmpty() || !all ? null : requests(out.requests()));
  }

  /**
   * Converts rules for requests as they were given: with references to secrets, never with their
   * values.
   */
  private static Map<String, List<NetworkRule>> requests(RequestRules rules) {
    Map<String, List<NetworkRule>> view = new LinkedHashMap<>();
    rules
        .byHost()
        .forEach(
            (host, list) ->
                view.put(
                    host,
                    list.stream()
                        .map(headers -> new NetworkRule(new NetworkRule.Transform(headers)))
                        .toList()));
    return view;
  }

  /** Omits the password, which is never returned. */
  private static NetworkSettings.@Nullable EgressProxy proxy(@Nullable UpstreamProxy proxy) {
    return proxy == null
        ? null
        : new NetworkSettings.EgressProxy(proxy.address(), proxy.username(), null);
  }
}
