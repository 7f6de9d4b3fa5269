// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.certificates.Certificates;
import dev.ramet.egress.injection.GuestRequests;
import dev.ramet.egress.injection.UpstreamTls;
import dev.ramet.egress.proxy.RequestInterceptor;
import dev.ramet.egress.rule.RequestRules;
import dev.ramet.errors.RametException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;

/** Checks which certificates guests and the proxy trust. */
final class GuestTrustTest extends GuestRequestsGround {
  @Test
  void aHostThatIsNotTrustedGetsNothing() throws Exception {
    RequestInterceptor wary =
        new GuestRequests(secrets, secrets::value, authority, new UpstreamTls(null))
            .rules(RequestRules.parse(Map.of("a.test", List.of(Map.of("X", "y")))));
    net.proxy(wary, "a.test");
    net.tlsHost(this::echo);
    try (SSLSocket guest = net.tlsGuest(authority.pem())) {
      ProxyHarness.send(guest, GET + "\r\n");
      String answer = answer(guest);
      assertTrue(answer.startsWith("502 ") && answer.contains("certificate"), answer);
    }
    assertNull(seen.poll());
  }

  @Test
  void aGuestThatDoesNotTrustTheHostSaysSo() throws Exception {
    net.proxy(rules, "a.test");
    net.tlsHost(this::echo);
    String other = Certificates.pem(net.authority.certificate());
    assertThrows(SSLHandshakeException.class, () -> net.tlsGuest(other));
    assertEquals(0, net.hostConnections.get());
  }

  @Test
  void authoritiesThatAreNoneAreRefused() throws Exception {
    Path none = root.resolve("none.pem");
    assertThrows(RametException.class, () -> new UpstreamTls(none));
    Files.writeString(none, "nothing");
    RametException refused = assertThrows(RametException.class, () -> new UpstreamTls(none));
    assertTrue(String.valueOf(refused.getMessage()).contains("ramet.outbound-authorities"));
  }
}
