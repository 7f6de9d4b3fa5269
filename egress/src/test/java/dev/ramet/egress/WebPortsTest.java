// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress;

import static dev.ramet.egress.ProxyHarness.HOSTS;
import static dev.ramet.egress.ProxyHarness.head;
import static dev.ramet.egress.ProxyHarness.policy;
import static dev.ramet.egress.ProxyHarness.read;
import static dev.ramet.egress.ProxyHarness.rest;
import static dev.ramet.egress.ProxyHarness.send;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.certificates.GuestAuthority;
import dev.ramet.egress.injection.GuestRequests;
import dev.ramet.egress.injection.UpstreamTls;
import dev.ramet.egress.proxy.RequestInterceptor;
import dev.ramet.egress.rule.RequestRules;
import dev.ramet.testing.Require;
import java.net.BindException;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections to port 80 of an allowed address, which are looked at for rules about requests. */
@Timeout(900)
final class WebPortsTest {
  private static final String OTHER = "GET / HTTP/1.1\r\nHost: b.test\r\n\r\n";
  private static final String RULED = "GET / HTTP/1.1\r\nHost: a.test\r\n\r\n";

  @TempDir private Path root;
  @AutoClose private final ProxyHarness net = new ProxyHarness();
  private final BlockingQueue<String> seen = new LinkedBlockingQueue<>();

  @BeforeEach
  void start() throws Exception {
    MemorySecrets secrets = new MemorySecrets();
    RequestInterceptor rules =
        new GuestRequests(secrets, secrets::value, new GuestAuthority(root), new UpstreamTls(null))
            .rules(RequestRules.parse(Map.of("a.test", List.of(Map.of("X-Key", "k")))));
    net.proxy(policy(true, null, rules));
    boolean bound = false;
    try {
      net.host(
          80,
          false,
          socket -> {
            String first = read(socket, 1);
            send(socket, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
            seen.add(first + rest(socket));
          });
      bound = true;
    } catch (BindException e) {
      Require.feature("ports below 1024", false, e.toString());
    }
    assertTrue(bound);
    net.wanted(HOSTS, 80);
  }

  private String seen() throws InterruptedException {
    return String.valueOf(seen.poll(60, TimeUnit.SECONDS));
  }

  @Test
  void requestsThatRulesAreAboutGetTheirHeader() throws Exception {
    try (Socket guest = net.guest()) {
      send(guest, RULED);
      assertEquals("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", head(guest));
    }
    assertTrue(seen().contains("X-Key: k\r\n"));
  }

  /** The guest sends it again on a connection of its own, which then gets the header. */
  @Test
  void aLaterRequestThatRulesAreAboutEndsTheConnection() throws Exception {
    try (Socket guest = net.guest()) {
      send(guest, OTHER + OTHER);
      assertEquals("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", head(guest));
      send(guest, RULED);
      assertEquals("(broken)", rest(guest));
    }
    assertEquals(OTHER + OTHER + "(broken)", seen());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SSH-2.0-x\r\n",
        "\0",
        "GET / HTTP/1.1\n",
        "GET http://a.test/ HTTP/1.1\r\nHost: b.test\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: b.test\r\nConnection: host\r\n\r\n",
        "GET / HTTP/1.1\r\nX\r\n",
        "GET / HTTP/1.1\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
      })
  void whatIsNoRequestForANamePassesAtOnce(String text) throws Exception {
    try (Socket guest = net.guest()) {
      send(guest, text);
      // The host says something, so what the guest said has arrived.
      assertEquals("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", head(guest));
      send(guest, "more\0");
      guest.shutdownOutput();
      assertEquals("(end)", rest(guest));
    }
    assertEquals(text + "more\0(end)", seen());
  }

  @Test
  void aGuestThatEndsAtOnceIsConnectedToo() throws Exception {
    try (Socket guest = net.guest()) {
      guest.shutdownOutput();
      String got = rest(guest);
      assertTrue(got.startsWith("HTTP/1.1 200 OK"), got);
    }
  }
}
