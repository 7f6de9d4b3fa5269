// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.network;

import dev.ramet.engine.NetworkRules;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * Where a guest's connections may go. The first that holds decides: an address of {@code resolvers}
 * at the port of DNS may be reached; {@code never} may not; {@code allowed} may; {@code denied} may
 * not; all else may. Immutable and thread-safe.
 *
 * @param resolvers name servers of the host among the addresses that are never reached
 * @param never what the host denies every guest
 * @param allowed what this one may reach although it is denied
 * @param denied what this one may not reach
 */
record EgressPolicy(
    List<InetAddress> resolvers, List<Cidr> never, List<Cidr> allowed, List<Cidr> denied) {
  /** Copies the lists. */
  EgressPolicy {
    resolvers = List.copyOf(resolvers);
    never = List.copyOf(never);
    allowed = List.copyOf(allowed);
    denied = List.copyOf(denied);
  }

  /**
   * That of one guest. Who denies all of IPv4 means all: that is how clients say it that know
   * nothing else.
   *
   * @param resolvers name servers of the host
   * @param never what the host denies every guest
   * @param rules what the guest's creator wants
   */
  static EgressPolicy of(List<InetAddress> resolvers, List<Cidr> never, NetworkRules rules) {
    List<Cidr> denied = new ArrayList<>(networks(rules.denyOut()));
    boolean closed = denied.stream().anyMatch(one -> one.everything() && !one.ipv6());
    if (closed) {
      denied.add(Cidr.parse("::/0"));
    }
    // Names tell the world something too: who may reach nothing may ask for none.
    List<InetAddress> asked =
        closed
            ? List.of()
            : resolvers.stream().filter(one -> Cidr.anyContains(never, one)).toList();
    return new EgressPolicy(asked, never, networks(rules.allowOut()), denied);
  }

  private static List<Cidr> networks(List<String> entries) {
    return entries.stream().map(Cidr::parse).toList();
  }
}
