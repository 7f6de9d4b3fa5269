// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.filter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.egress.filter.EgressPolicy.Relayed;
import dev.ramet.egress.proxy.RequestInterceptor;
import dev.ramet.egress.rule.Cidr;
import dev.ramet.egress.rule.NetworkRules;
import dev.ramet.egress.rule.UpstreamProxy;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests which name servers rules select, and which connections go to the relay. */
final class EgressPolicyTest {
  private static final List<String> ALL = List.of(NetworkRules.EVERYTHING);
  private static final NetworkRules CLOSED = new NetworkRules(List.of(), ALL);
  private static final NetworkRules NAMED =
      new NetworkRules(List.of("a.test", "192.0.2.0/24"), ALL);
  private static final UpstreamProxy PROXY = UpstreamProxy.parse("p.test:1080", null, null);

  private static EgressPolicy of(NetworkRules rules) throws Exception {
    return EgressPolicy.forRules(
        List.of(InetAddress.getByName("127.0.0.53"), InetAddress.getByName("192.0.2.53")),
        List.of(Cidr.parse("127.0.0.0/8")),
        rules,
        RequestInterceptor.NONE);
  }

  @Test
  void whoGoesByNamesMayAskForThem() throws Exception {
    assertEquals(1, of(NetworkRules.NONE).resolvers().size(), "the other is open anyway");
    assertEquals(0, of(CLOSED).resolvers().size());
    assertEquals(2, of(NAMED).resolvers().size());
    assertEquals(2, of(CLOSED.withProxy(PROXY)).resolvers().size());
  }

  @Test
  void theRelayHasWhatTheKernelCannotDecide() throws Exception {
    assertFalse(of(NetworkRules.NONE).relayed().isAny());
    assertFalse(of(new NetworkRules(List.of("192.0.2.1"), ALL)).relayed().isAny());
    assertEquals(new Relayed(true, false, false), of(NAMED).relayed());
    assertEquals(new Relayed(false, true, true), of(CLOSED.withProxy(PROXY)).relayed());
    assertEquals(new Relayed(true, true, true), of(NAMED.withProxy(PROXY)).relayed());
  }

  @Test
  void addressesAreOpenAsBefore() throws Exception {
    assertTrue(of(NAMED).allows(InetAddress.getByName("192.0.2.7")));
    assertFalse(of(NAMED).allows(InetAddress.getByName("198.51.100.7")));
    assertFalse(of(NAMED).allows(InetAddress.getByName("2001:db8::7")));
    assertTrue(of(NetworkRules.NONE).allows(InetAddress.getByName("198.51.100.7")));
  }

  @Test
  void namesWantAllElseToBeDenied() {
    NAMED.checkNames();
    CLOSED.checkNames();
    NetworkRules open = new NetworkRules(List.of("a.test"), List.of("10.0.0.0/8", "::/0"));
    RametException refused = assertThrows(RametException.class, open::checkNames);
    assertEquals(ErrorCode.INVALID_ARGUMENT, refused.code());
    open.denyingRest().checkNames();
  }

  @Test
  void aProxyThatGuestsNeverReachIsRefused() {
    EgressFilter filter = new EgressFilter("ramet-test-none-", List.of(Cidr.parse("127.0.0.0/8")));
    NetworkRules rules =
        NetworkRules.NONE.withProxy(UpstreamProxy.parse("127.0.0.1:1080", "me", "secret"));
    RametException refused = assertThrows(RametException.class, () -> filter.check(rules));
    assertFalse(refused.toString().contains("secret"));
    assertFalse(rules.toString().contains("secret"), rules::toString);
  }
}
