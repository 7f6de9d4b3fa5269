// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.start;

import dev.ramet.certificates.GuestAuthority;
import dev.ramet.egress.filter.EgressFilter;
import dev.ramet.egress.injection.GuestRequests;
import dev.ramet.egress.injection.UpstreamTls;
import dev.ramet.egress.rule.Cidr;
import dev.ramet.engine.EngineConfig;
import dev.ramet.engine.OutboundSettings;
import dev.ramet.engine.root.SecretFile;
import dev.ramet.engine.support.Undo;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The parts that decide what guests may reach.
 *
 * @param requests applies request rules to guests' requests
 * @param egress keeps guests from addresses they may not reach
 */
record GuestNetwork(GuestRequests requests, EgressFilter egress) {
  /** Opens the parts for a data root. */
  static GuestNetwork open(EngineConfig config, Undo close) throws IOException {
    EgressFilter egress = egress(config);
    close.add("network filter", egress::close);
    SecretFile secrets = new SecretFile(config.dataRoot());
    GuestRequests requests =
        new GuestRequests(
            secrets,
            secrets::value,
            new GuestAuthority(config.dataRoot()),
            new UpstreamTls(config.settings().find(OutboundSettings.AUTHORITIES).orElse(null)));
    return new GuestNetwork(requests, egress);
  }

  private static EgressFilter egress(EngineConfig config) throws IOException {
    String root = config.dataRoot().toRealPath().toString();
    List<Cidr> never = new ArrayList<>();
    for (String network :
        config.settings().find(OutboundSettings.NEVER).orElse(OutboundSettings.THIS_HOST)) {
      try {
        never.add(Cidr.parse(network));
      } catch (IllegalArgumentException e) {
        throw RametException.invalid(OutboundSettings.NEVER.key(), String.valueOf(e.getMessage()));
      }
    }
    // The prefix is the same at the next start of this root, and differs from those of other roots.
    return new EgressFilter(String.format("ramet-%08x-", root.hashCode()), never);
  }
}
