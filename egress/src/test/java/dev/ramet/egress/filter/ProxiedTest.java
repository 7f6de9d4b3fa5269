// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.filter;

import static dev.ramet.egress.filter.ConfinedProgram.ELSEWHERE;
import static dev.ramet.egress.filter.ConfinedProgram.OWN;
import static dev.ramet.egress.filter.ConfinedProgram.get;
import static dev.ramet.egress.filter.ConfinedProgram.names;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.egress.rule.NetworkRules;
import dev.ramet.egress.rule.UpstreamProxy;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** A proxy through which all of a real process leaves this host. */
final class ProxiedTest {
  @AutoClose private final ConfinedProgram program = ConfinedProgram.start();
  @AutoClose private final Peer proxy = Peer.at("127.77.0.2", ProxiedTest::proxy);

  /** A proxy of SOCKS5 that connects nowhere, but says what it was asked for. */
  private static void proxy(Socket client, List<String> got) throws IOException {
    InputStream in = client.getInputStream();
    OutputStream out = client.getOutputStream();
    byte[] ways = in.readNBytes(in.readNBytes(2)[1]);
    boolean user = ways.length == 2;
    out.write(new byte[] {5, (byte) (user ? 2 : 0)});
    if (user) {
      String name = new String(in.readNBytes(in.readNBytes(2)[1]), StandardCharsets.UTF_8);
      String word = new String(in.readNBytes(in.read()), StandardCharsets.UTF_8);
      boolean known = name.equals("user") && word.equals("word");
      out.write(new byte[] {1, (byte) (known ? 0 : 1)});
      if (!known) {
        got.add("a stranger");
        return;
      }
    }
    byte[] head = in.readNBytes(4);
    String host =
        head[3] == 3
            ? new String(in.readNBytes(in.read()), StandardCharsets.US_ASCII)
            : InetAddress.getByAddress(in.readNBytes(head[3] == 1 ? 4 : 16)).getHostAddress();
    got.add(host + " " + (in.read() << 8 | in.read()));
    out.write(new byte[] {5, 0, 0, 1, 0, 0, 0, 0, 0, 0});
    Peer.echoOnce(client, got);
  }

  private NetworkRules through(NetworkRules rules, @Nullable String user) {
    String word = user == null ? null : "word";
    return rules.withProxy(new UpstreamProxy("127.77.0.2", proxy.port(), user, word));
  }

  @Test
  void asManyRulesAsThereMayBe() throws Exception {
    List<String> networks =
        IntStream.range(0, NetworkRules.MAX - 2)
            .mapToObj(i -> "2001:db8:" + Integer.toHexString(i) + "::/47")
            .toList();
    NetworkRules most =
        new NetworkRules(
            Stream.concat(networks.stream(), Stream.of("a.test")).toList(),
            Stream.concat(networks.stream(), Stream.of(NetworkRules.EVERYTHING)).toList());
    program.confine(most);
    assertEquals("here " + get("a.test"), program.ask(ELSEWHERE, get("a.test")));
    program.confine(through(most, null));
    assertEquals("here " + get("a.test"), program.ask("2001:ffff::1", get("a.test")));
    assertEquals("a.test " + program.server().port(), proxy.got().get(0));
  }

  /** Data that a slow receiver has yet to read waits, and all of it arrives. */
  @Test
  void muchPassesBothWays() throws Exception {
    program.confine(through(NetworkRules.NONE, null));
    String much = "x".repeat(3 << 20);
    try (Peer echo =
        Peer.at(
            "127.77.0.2",
            (client, got) -> {
              InputStream in = client.getInputStream();
              in.readNBytes(3);
              client.getOutputStream().write(new byte[] {5, 0});
              in.readNBytes(10);
              client.getOutputStream().write(new byte[] {5, 0, 0, 1, 0, 0, 0, 0, 0, 0});
              byte[] all = in.readNBytes(much.length());
              client.getOutputStream().write(all);
            })) {
      program
          .filter()
          .change(
              "one",
              OWN,
              NetworkRules.NONE.withProxy(
                  new UpstreamProxy("127.77.0.2", echo.port(), null, null)));
      assertTrue(much.equals(program.ask(ELSEWHERE, much)));
    }
  }

  @Test
  void allLeavesThroughTheProxy() throws Exception {
    program.confine(through(NetworkRules.NONE, "user"));
    assertEquals(
        "here hello",
        program.ask("send", ELSEWHERE, 7777, "hello".getBytes(StandardCharsets.US_ASCII)));
    assertEquals(
        "here hello",
        program.ask("send", "2001:db8::77", 80, "hello".getBytes(StandardCharsets.US_ASCII)));
    assertEquals("PermissionError", program.ask("udp", ELSEWHERE, 99, new byte[1]));
    assertEquals(
        List.of("192.0.2.77 7777", "hello", "2001:db8:0:0:0:0:0:77 80", "hello"), proxy.got());
    program.confine(through(NetworkRules.NONE, "stranger"));
    assertEquals("reset", program.ask(ELSEWHERE, "hello"));
    assertEquals(List.of(), program.server().got(), "never without it");
  }

  @Test
  void theProxyIsToldNames() throws Exception {
    program.confine(through(names("a.test", "192.0.2.0/24"), null));
    assertEquals("here " + get("a.test"), program.ask("198.51.100.1", get("a.test")));
    assertEquals("here hello", program.ask(ELSEWHERE, "hello"));
    assertEquals(
        List.of(
            "a.test " + program.server().port(),
            get("a.test"),
            "192.0.2.77 " + program.server().port(),
            "hello"),
        proxy.got());
    assertTrue(program.ask("198.51.100.1", get("b.test")).startsWith("HTTP/1.1 403"));
    proxy.close();
    assertTrue(program.ask("198.51.100.1", get("a.test")).startsWith("HTTP/1.1 502"));
    assertEquals("reset", program.ask(ELSEWHERE, "hello"));
    assertEquals(List.of(), program.server().got(), "never without it");
  }
}
