// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.filter;

import dev.ramet.egress.rule.Cidr;
import dev.ramet.linux.bpf.EgressRules;
import dev.ramet.linux.bpf.EgressRules.Verdict;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Turns a policy into rules for the kernel. In a policy the first list that holds an address
 * decides, however large its network is; in the kernel the most specific network does. So every
 * network gets the verdict that the policy has for it as a whole: all networks that hold an address
 * also hold the most specific one of them, so this one's verdict is the address's.
 */
final class EgressVerdicts {
  private static final List<Cidr> EVERYTHING = List.of(Cidr.parse("0.0.0.0/0"), Cidr.parse("::/0"));

  private final EgressPolicy policy;
  private final List<Cidr> resolvers;

  private EgressVerdicts(EgressPolicy policy) {
    this.policy = policy;
    resolvers = policy.resolvers().stream().map(Cidr::ofAddress).toList();
  }

  /** Returns the rules that hold for a policy. */
  static EgressRules forPolicy(EgressPolicy policy) {
    EgressRules rules = new EgressRules();
    verdictsByNetwork(policy)
        .forEach((network, verdict) -> rules.put(network.address(), network.bits(), verdict));
    return rules;
  }

  /** Returns the verdicts by network. */
  static Map<Cidr, Set<Verdict>> verdictsByNetwork(EgressPolicy policy) {
    EgressVerdicts verdicts = new EgressVerdicts(policy);
    Map<Cidr, Set<Verdict>> byNetwork = new HashMap<>();
    Stream.of(EVERYTHING, verdicts.resolvers, policy.never(), policy.allowed(), policy.denied())
        .flatMap(List::stream)
        .forEach(network -> byNetwork.computeIfAbsent(network, verdicts::verdict));
    return byNetwork;
  }

  private Set<Verdict> verdict(Cidr network) {
    Set<Verdict> verdict = EnumSet.noneOf(Verdict.class);
    if (resolvers.contains(network)) {
      verdict.add(Verdict.DNS);
    }
    if (network.in(policy.never())) {
      return verdict;
    }
    if (network.in(policy.allowed()) || !network.in(policy.denied())) {
      verdict.addAll(allowAll());
    } else if (policy.relayed().denied()) {
      verdict.add(Verdict.RELAY);
    }
    return verdict;
  }

  /** Returns the verdict on addresses that are not denied. */
  private Set<Verdict> allowAll() {
    EgressPolicy.Relayed relayed = policy.relayed();
    Set<Verdict> verdict = EnumSet.noneOf(Verdict.class);
    if (!relayed.others()) {
      verdict.add(Verdict.PASS);
    }
    if (relayed.web()) {
      verdict.add(relayed.others() ? Verdict.RELAY : Verdict.RELAY_WEB);
    }
    return verdict;
  }
}
