// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.filter;

import dev.ramet.egress.proxy.RequestInterceptor;
import dev.ramet.egress.rule.Cidr;
import dev.ramet.egress.rule.NetworkRules;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * Where a guest's connections may go. The first that holds decides: an address of {@code resolvers}
 * at the port of DNS may be reached; {@code never} may not; {@code allowed} may; {@code denied} may
 * not; all else may. The relay decides about connections of TCP that are denied, if it knows names,
 * and carries all of them that are not, if they leave through a proxy. Immutable and thread-safe.
 *
 * @param resolvers name servers of the host that are reached although other rules deny it
 * @param never what the host denies every guest
 * @param allowed what this one may reach although it is denied
 * @param denied what this one may not reach
 * @param relayed which connections are the relay's
 */
record EgressPolicy(
    List<InetAddress> resolvers,
    List<Cidr> never,
    List<Cidr> allowed,
    List<Cidr> denied,
    Relayed relayed) {
  /** Copies the lists. */
  EgressPolicy {
    resolvers = List.copyOf(resolvers);
    never = List.copyOf(never);
    allowed = List.copyOf(allowed);
    denied = List.copyOf(denied);
  }

  /** One without a relay. */
  EgressPolicy(
      List<InetAddress> resolvers, List<Cidr> never, List<Cidr> allowed, List<Cidr> denied) {
    this(resolvers, never, allowed, denied, Relayed.NOTHING);
  }

  /**
   * Which connections of TCP the relay carries.
   *
   * @param denied those to addresses that are denied
   * @param web those to ports 80 and 443 that are not
   * @param others all others that are not; UDP is for name servers alone then
   */
  record Relayed(boolean denied, boolean web, boolean others) {
    static final Relayed NOTHING = new Relayed(false, false, false);

    boolean isAny() {
      return denied || web || others;
    }
  }

  /**
   * That of one guest. Who denies all of IPv4 means all: that is how clients say it that know
   * nothing else.
   *
   * @param resolvers name servers of the host
   * @param never what the host denies every guest
   * @param rules what the guest's creator wants
   * @param headers what is to become of its requests
   */
  static EgressPolicy forRules(
      List<InetAddress> resolvers,
      List<Cidr> never,
      NetworkRules rules,
      RequestInterceptor headers) {
    List<Cidr> denied = new ArrayList<>(parseNetworks(rules.denyOut()));
    boolean closed = denied.stream().anyMatch(one -> one.coversAll() && !one.ipv6());
    if (closed) {
      denied.add(Cidr.parse("::/0"));
    }
    boolean names = !rules.allowedNames().isEmpty();
    boolean proxy = rules.egressProxy() != null;
    return new EgressPolicy(
        allowedResolvers(resolvers, never, closed, names || proxy),
        never,
        parseNetworks(rules.allowedNetworks()),
        denied,
        new Relayed(names, proxy || headers.hasRules(), proxy));
  }

  /** Names tell the world something too: who may reach nothing may ask for none. */
  private static List<InetAddress> allowedResolvers(
      List<InetAddress> resolvers, List<Cidr> never, boolean closed, boolean byName) {
    if (byName) {
      return resolvers;
    }
    return closed
        ? List.of()
        : resolvers.stream().filter(one -> Cidr.anyContains(never, one)).toList();
  }

  private static List<Cidr> parseNetworks(List<String> entries) {
    return entries.stream().map(Cidr::parse).toList();
  }

  /** Whether the rules for addresses let an address be reached that guests may reach. */
  boolean allows(InetAddress address) {
    return Cidr.anyContains(allowed, address) || !Cidr.anyContains(denied, address);
  }
}
