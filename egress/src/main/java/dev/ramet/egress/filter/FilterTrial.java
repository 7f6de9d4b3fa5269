// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.filter;

import dev.ramet.egress.proxy.RequestInterceptor;
import dev.ramet.egress.rule.Cidr;
import dev.ramet.egress.rule.NetworkRules;
import dev.ramet.egress.rule.UpstreamProxy;
import dev.ramet.linux.LinuxException;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a trial of the filter on this host, which does all of it to a group without
 * processes.
 *
 * @param groups where machines can be confined; null if they cannot
 * @param detail for people: how the filter works here, or why it does not
 * @param noRelay why connections cannot be brought to a relay here; null if they can
 */
record FilterTrial(@Nullable ControlGroups groups, String detail, @Nullable String noRelay) {
  private static final String NAME = "trial";

  /**
   * Tries the filter.
   *
   * @param prefix begins the name of the group
   * @param never the addresses that no guest may reach
   */
  static FilterTrial run(String prefix, List<Cidr> never) {
    try {
      ControlGroups groups = ControlGroups.find(prefix).orElse(null);
      if (groups == null) {
        return new FilterTrial(null, "control groups (version 2) are not mounted", null);
      }
      String name = NAME + UUID.randomUUID();
      try {
        Path group = groups.make(name);
        attach(group, policy(never, NetworkRules.NONE), null);
        String noRelay = relays(group, never);
        String how = "BPF programs of control groups below " + groups;
        String but =
            noRelay == null ? "" : ", but not by host names or through a proxy: " + noRelay;
        return new FilterTrial(groups, how + but, noRelay);
      } finally {
        groups.remove(name);
      }
    } catch (IOException | LinuxException e) {
      return new FilterTrial(null, String.valueOf(e.getMessage()), null);
    }
  }

  private static @Nullable String relays(Path group, List<Cidr> never) {
    NetworkRules rules =
        new NetworkRules(List.of("localhost"), List.of(NetworkRules.EVERYTHING))
            .withProxy(new UpstreamProxy("localhost", 1, null, null));
    try (RelayTables tables = RelayTables.create()) {
      tables.setRelayPort(1);
      attach(group, policy(never, rules), tables);
      return null;
    } catch (LinuxException e) {
      return String.valueOf(e.getMessage());
    }
  }

  private static EgressPolicy policy(List<Cidr> never, NetworkRules rules) {
    return EgressPolicy.forRules(NameServers.read(), never, rules, RequestInterceptor.NONE);
  }

  private static void attach(Path group, EgressPolicy policy, @Nullable RelayTables tables)
      throws LinuxException {
    MachinePrograms.attach(group, InetAddress.getLoopbackAddress(), policy, tables).close();
  }
}
