// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress;

import static dev.ramet.egress.ProxyHarness.HOSTS;
import static dev.ramet.egress.ProxyHarness.policy;
import static dev.ramet.egress.ProxyHarness.read;
import static dev.ramet.egress.ProxyHarness.rest;
import static dev.ramet.egress.ProxyHarness.send;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.egress.proxy.RequestInterceptor;
import dev.ramet.egress.rule.UpstreamProxy;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The bytes that a proxy of SOCKS5 gets, and which of its answers count as a connection. */
@Timeout(900)
final class SocksTest {
  private static final String GET = "GET / HTTP/1.1\r\nHost: a.test\r\n\r\n";
  private static final String CONNECTED = "05000001 00000000 0000";

  @AutoClose private final ProxyHarness net = new ProxyHarness();
  private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();

  private String heard() throws InterruptedException {
    return String.valueOf(heard.poll(60, TimeUnit.SECONDS));
  }

  private static void say(Socket socket, String hex) throws IOException {
    byte[] bytes = HexFormat.of().parseHex(hex.replace(" ", ""));
    send(socket, new String(bytes, StandardCharsets.ISO_8859_1));
  }

  private String hear(Socket socket, int bytes) throws IOException {
    byte[] got = read(socket, bytes).getBytes(StandardCharsets.ISO_8859_1);
    return HexFormat.of().formatHex(got);
  }

  private void proxied(ProxyHarness.Script proxy, @Nullable String user, @Nullable String word)
      throws Exception {
    int port = net.host(proxy);
    net.proxy(
        policy(
            true, new UpstreamProxy(HOSTS, port, user, word), RequestInterceptor.NONE, "a.test"));
  }

  @Test
  void isAskedForAnAddress() throws Exception {
    proxied(
        socket -> {
          heard.add(hear(socket, 3));
          say(socket, "0500");
          heard.add(hear(socket, 10));
          // The host's first words may come with the proxy's last ones.
          say(socket, CONNECTED + "6869");
          heard.add(rest(socket));
        },
        null,
        null);
    net.wanted(HOSTS, 443);
    try (Socket guest = net.guest()) {
      assertEquals("hi", read(guest, 2));
      send(guest, "hello");
      guest.shutdownOutput();
      assertEquals("(end)", rest(guest));
    }
    assertEquals("050100", heard());
    assertEquals("05010001" + "7f4d0801" + "01bb", heard());
    assertEquals("hello(end)", heard());
  }

  @Test
  void isAskedForANameAsSomebody() throws Exception {
    proxied(
        socket -> {
          heard.add(hear(socket, 4));
          say(socket, "0502");
          heard.add(hear(socket, 8));
          say(socket, "0100");
          heard.add(hear(socket, 13));
          say(socket, "05000003 02 6162 0000");
          heard.add(rest(socket));
        },
        "me",
        "p\u00e4");
    net.wanted(ProxyHarness.ELSEWHERE, 8080);
    try (Socket guest = net.guest()) {
      send(guest, GET);
      guest.shutdownOutput();
      assertEquals("(end)", rest(guest));
    }
    assertEquals("05020002", heard());
    assertEquals("01" + "026d65" + "0370c3a4", heard());
    assertEquals("05010003" + "06612e74657374" + "1f90", heard());
    assertEquals(GET + "(end)", heard());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "05",
        "0400",
        "48545450",
        "05ff",
        "0502",
        "0500 05",
        "0500 05050001 00000000 0000",
        "0500 05020001 00000000 0000",
        "0500 05000002 00000000 0000",
        "0500 05000001 0000"
      })
  void anythingElseEndsTheConnection(String said) throws Exception {
    proxied(socket -> say(socket, said), null, null);
    net.wanted(HOSTS, 443);
    try (Socket guest = net.guest()) {
      assertEquals("(broken)", rest(guest));
    }
    net.wanted(ProxyHarness.ELSEWHERE, 80);
    try (Socket guest = net.guest()) {
      send(guest, GET);
      String answer = rest(guest);
      assertTrue(answer.startsWith("HTTP/1.1 502 Bad Gateway\r\n"), answer);
    }
  }

  @Test
  void aWrongPasswordEndsTheConnection() throws Exception {
    proxied(
        socket -> {
          hear(socket, 4);
          say(socket, "0502");
          hear(socket, 9);
          say(socket, "0101");
          heard.add(rest(socket));
        },
        "me",
        "word");
    net.wanted(HOSTS, 443);
    try (Socket guest = net.guest()) {
      assertEquals("(broken)", rest(guest));
    }
    String nothing = heard();
    assertTrue(nothing.equals("(end)") || nothing.equals("(broken)"), nothing);
  }
}
