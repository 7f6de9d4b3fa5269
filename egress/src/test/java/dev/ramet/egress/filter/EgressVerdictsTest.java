// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.filter;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ramet.egress.filter.EgressPolicy.Relayed;
import dev.ramet.egress.rule.Cidr;
import dev.ramet.linux.bpf.EgressRules.Verdict;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The first list that holds an address decides, although the kernel takes the longest match. */
final class EgressVerdictsTest {
  private static EgressPolicy policy(String never, String allowed, String denied, Relayed relayed)
      throws UnknownHostException {
    List<InetAddress> resolvers = List.of(InetAddress.getByName("10.0.0.53"));
    return new EgressPolicy(resolvers, list(never), list(allowed), list(denied), relayed);
  }

  private static List<Cidr> list(String networks) {
    return List.of(networks.split(" ", -1)).stream()
        .filter(network -> !network.equals("-"))
        .map(Cidr::parse)
        .toList();
  }

  /** Finds the verdict as the kernel does, by the longest match. */
  private static Set<Verdict> found(EgressPolicy policy, InetAddress address) {
    return EgressVerdicts.verdictsByNetwork(policy).entrySet().stream()
        .filter(entry -> entry.getKey().contains(address))
        .max(Comparator.comparingInt(entry -> entry.getKey().bits()))
        .map(Map.Entry::getValue)
        .orElseThrow();
  }

  private static Set<Verdict> found(EgressPolicy policy, String address)
      throws UnknownHostException {
    return found(policy, InetAddress.getByName(address));
  }

  @Test
  void theOrderOfTheListsCountsNotTheSizeOfTheNetworks() throws Exception {
    EgressPolicy policy =
        policy("10.0.0.0/8", "10.1.2.3 20.0.0.0/8", "20.1.0.0/16 0.0.0.0/0", Relayed.NOTHING);
    assertEquals(Set.of(), found(policy, "10.1.2.3"), "never comes before allowed");
    assertEquals(Set.of(Verdict.PASS), found(policy, "20.1.0.1"), "allowed comes before denied");
    assertEquals(Set.of(), found(policy, "30.0.0.1"));
    assertEquals(Set.of(Verdict.PASS), found(policy, "2001:db8::1"));
    assertEquals(Set.of(Verdict.DNS), found(policy, "10.0.0.53"));
  }

  @ParameterizedTest
  @CsvSource({
    "false, false, false, PASS, -",
    "true, false, false, PASS, RELAY",
    "false, true, false, PASS RELAY_WEB, -",
    "true, true, false, PASS RELAY_WEB, RELAY",
    "false, true, true, RELAY, -",
    "true, true, true, RELAY, RELAY",
    "false, false, true, -, -",
  })
  void relayed(boolean denied, boolean web, boolean others, String open, String shut)
      throws Exception {
    EgressPolicy policy = policy("-", "-", "20.0.0.0/8", new Relayed(denied, web, others));
    assertEquals(verdicts(open), found(policy, "1.2.3.4"));
    assertEquals(verdicts(shut), found(policy, "20.0.0.1"));
  }

  private static Set<Verdict> verdicts(String names) {
    Set<Verdict> verdicts = EnumSet.noneOf(Verdict.class);
    for (String name : names.split(" ", -1)) {
      if (!name.equals("-")) {
        verdicts.add(Verdict.valueOf(name));
      }
    }
    return verdicts;
  }

  /** Addresses of few bits, so that networks often hold one another. */
  @Test
  void anyPolicyKeepsItsOrder() throws Exception {
    Random random = new Random(1);
    for (int i = 0; i < 2000; i++) {
      boolean sixth = random.nextBoolean();
      EgressPolicy policy =
          new EgressPolicy(
              random.nextBoolean() ? List.of() : List.of(address(random, sixth)),
              networks(random, sixth),
              networks(random, sixth),
              networks(random, sixth),
              new Relayed(random.nextBoolean(), random.nextBoolean(), random.nextBoolean()));
      for (int j = 0; j < 20; j++) {
        InetAddress address = address(random, sixth);
        assertEquals(wanted(policy, address), found(policy, address), policy + " " + address);
      }
    }
  }

  private static InetAddress address(Random random, boolean sixth) throws UnknownHostException {
    byte[] address = new byte[sixth ? 16 : 4];
    address[0] = (byte) (random.nextInt(4) << 6);
    address[address.length - 1] = (byte) random.nextInt(4);
    return InetAddress.getByAddress(address);
  }

  private static List<Cidr> networks(Random random, boolean sixth) throws UnknownHostException {
    List<Cidr> networks = new ArrayList<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      int most = sixth ? 128 : 32;
      int bits = random.nextBoolean() ? random.nextInt(4) : most - random.nextInt(4);
      networks.add(Cidr.parse(address(random, sixth).getHostAddress() + "/" + bits));
    }
    return networks;
  }

  /** Evaluates the policy list by list. */
  private static Set<Verdict> wanted(EgressPolicy policy, InetAddress address) {
    Relayed relayed = policy.relayed();
    Set<Verdict> verdict = EnumSet.noneOf(Verdict.class);
    if (policy.resolvers().contains(address)) {
      verdict.add(Verdict.DNS);
    }
    if (Cidr.anyContains(policy.never(), address)) {
      return verdict;
    }
    if (policy.allows(address)) {
      verdict.addAll(verdicts(relayed.others() ? "-" : "PASS"));
      verdict.addAll(verdicts(!relayed.web() ? "-" : relayed.others() ? "RELAY" : "RELAY_WEB"));
    } else if (relayed.denied()) {
      verdict.add(Verdict.RELAY);
    }
    return verdict;
  }
}
