// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.bpf;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.bpf.EgressRules.Verdict;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.net.ProtocolFamily;
import java.net.StandardProtocolFamily;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Filters the sockets of this process: the kernel has to accept the programs, and to obey them. */
final class EgressProgramsTest {
  private static final String OWN = "127.99.0.1";
  private static final int DNS_PORT = 53;

  @AutoClose private final OwnGroup group = OwnGroup.require();
  @AutoClose private final ServerSocketChannel fourth;
  @AutoClose private final ServerSocketChannel sixth;

  EgressProgramsTest() throws IOException {
    fourth = server(StandardProtocolFamily.INET, "0.0.0.0");
    sixth = server(StandardProtocolFamily.INET6, "::1");
  }

  private static ServerSocketChannel server(ProtocolFamily family, String host) throws IOException {
    return ServerSocketChannel.open(family).bind(new InetSocketAddress(host, 0), 1000);
  }

  private EgressPrograms attach(EgressRules rules) throws LinuxException, IOException {
    return EgressPrograms.attach(group.path(), InetAddress.getByName(OWN), rules, null);
  }

  private static EgressRules rules(String network, Verdict... verdict) throws IOException {
    return with(new EgressRules(), network, verdict);
  }

  private static EgressRules with(EgressRules rules, String network, Verdict... verdict)
      throws UnknownHostException {
    String[] parts = network.split("/", 2);
    EnumSet<Verdict> all = EnumSet.noneOf(Verdict.class);
    all.addAll(List.of(verdict));
    byte[] address = InetAddress.getByName(parts[0]).getAddress();
    return rules.put(address, Integer.parseInt(parts[1]), all);
  }

  private static ProtocolFamily family(String host) {
    return host.contains(":") ? StandardProtocolFamily.INET6 : StandardProtocolFamily.INET;
  }

  /** Connects by TCP. */
  private boolean reaches(String host) throws IOException {
    int port = (host.contains(":") ? sixth : fourth).socket().getLocalPort();
    return isPermitted(
        () -> {
          try (SocketChannel channel = SocketChannel.open(family(host))) {
            channel.connect(new InetSocketAddress(host, port));
          }
        });
  }

  /** Sends by UDP, without connect(2). */
  private static boolean sends(String host, int port) throws IOException {
    return isPermitted(
        () -> {
          try (DatagramChannel channel = DatagramChannel.open(family(host))) {
            channel.send(ByteBuffer.allocate(1), new InetSocketAddress(host, port));
          }
        });
  }

  private interface Action {
    void run() throws IOException;
  }

  private static boolean isPermitted(Action action) throws IOException {
    try {
      action.run();
      return true;
    } catch (PortUnreachableException e) {
      // The answer to an earlier packet, to a port where nobody listens.
      return isPermitted(action);
    } catch (IOException e) {
      if (String.valueOf(e.getMessage()).contains("Operation not permitted")) {
        return false;
      }
      throw e;
    }
  }

  @Test
  void theMostSpecificNetworkDecides() throws Exception {
    EgressRules rules = rules("0.0.0.0/0", Verdict.PASS);
    with(rules, "127.0.0.0/8");
    with(rules, "127.77.0.0/16", Verdict.PASS);
    with(rules, "127.77.1.1/32");
    with(rules, "::1/128", Verdict.PASS);
    attach(rules).close();
    group.enter();
    assertFalse(reaches("127.0.0.1"));
    assertTrue(reaches("127.77.0.1"));
    assertTrue(reaches("127.77.1.2"));
    assertFalse(reaches("127.77.1.1"));
    assertTrue(reaches("::1"));
    assertTrue(sends("127.77.0.1", 9));
    assertFalse(sends("127.0.0.1", 9));
    assertTrue(sends("::1", 9));
  }

  @Test
  void oneFamilySaysNothingAboutTheOther() throws Exception {
    attach(rules("0.0.0.0/0", Verdict.PASS)).close();
    group.enter();
    assertTrue(reaches("127.0.0.1"));
    assertFalse(reaches("::1"));
    attach(rules("::/0", Verdict.PASS)).close();
    assertFalse(reaches("127.0.0.1"));
    assertTrue(reaches("::1"));
    assertFalse(sends("127.0.0.1", 9));
  }

  @Test
  void nameServersAreReachedAtTheirPort() throws Exception {
    EgressRules rules = rules("127.77.0.1/32", Verdict.DNS);
    with(rules, "::1/128", Verdict.DNS);
    attach(rules).close();
    group.enter();
    for (String host : new String[] {"127.77.0.1", "::1"}) {
      assertTrue(sends(host, DNS_PORT), host);
      assertFalse(sends(host, DNS_PORT + 1), host);
      assertFalse(reaches(host), host);
    }
    assertFalse(sends("127.77.0.2", DNS_PORT));
  }

  @Test
  void packetsOfOpenSocketsAreRefusedToo() throws Exception {
    try (EgressPrograms programs = attach(rules("0.0.0.0/0", Verdict.PASS))) {
      group.enter();
      try (DatagramChannel channel = DatagramChannel.open(StandardProtocolFamily.INET)) {
        channel.connect(new InetSocketAddress("127.77.0.1", DNS_PORT));
        Action write = () -> channel.write(ByteBuffer.allocate(1));
        assertTrue(isPermitted(write));
        programs.change(rules("127.77.0.2/32", Verdict.PASS));
        assertFalse(isPermitted(write));
        programs.change(rules("127.77.0.0/16", Verdict.DNS));
        assertTrue(isPermitted(write));
      }
    }
  }

  @Test
  void answersFromTheOwnAddressPass() throws Exception {
    attach(new EgressRules()).close();
    try (SocketChannel client = SocketChannel.open(StandardProtocolFamily.INET)) {
      group.enter();
      try (ServerSocketChannel server = server(StandardProtocolFamily.INET, OWN)) {
        client.connect(server.getLocalAddress());
        try (SocketChannel accepted = server.accept()) {
          accepted.write(ByteBuffer.wrap(new byte[] {42}));
          ByteBuffer answer = ByteBuffer.allocate(1);
          assertEquals(1, client.read(answer));
          assertEquals(42, answer.get(0));
        }
        assertFalse(reaches(OWN), "to it is not from it");
      }
    }
  }

  @Test
  void rulesStayInForceAndOthersReplaceThem() throws Exception {
    EgressPrograms first = attach(rules("127.0.0.0/8"));
    group.enter();
    first.close();
    assertFalse(reaches("127.0.0.1"));
    EgressPrograms second = attach(rules("127.0.0.0/8", Verdict.PASS));
    assertTrue(reaches("127.0.0.1"));
    second.change(new EgressRules());
    assertFalse(reaches("127.0.0.1"));
    second.close();
    assertFalse(reaches("127.0.0.1"));
  }

  /** Both sets of rules agree about two addresses, by networks that have nothing in common. */
  @Test
  void noMomentIsWithoutRules() throws Exception {
    EgressRules one = with(rules("0.0.0.0/0", Verdict.PASS), "127.77.0.0/16");
    EgressRules other = with(rules("127.0.0.0/9", Verdict.PASS), "127.77.0.1/32");
    try (EgressPrograms programs = attach(one)) {
      group.enter();
      AtomicBoolean done = new AtomicBoolean();
      Thread changing = new Thread(() -> changeAlternately(programs, one, other, done));
      changing.start();
      int sent = 0;
      try {
        while (!done.get()) {
          assertTrue(sends("127.0.0.1", 9));
          assertFalse(sends("127.77.0.1", 9));
          sent++;
        }
      } finally {
        changing.join();
      }
      assertTrue(sent > 0);
    }
  }

  private static void changeAlternately(
      EgressPrograms programs, EgressRules one, EgressRules other, AtomicBoolean done) {
    try {
      for (int i = 0; i < 100; i++) {
        programs.change(i % 2 == 0 ? other : one);
      }
    } catch (LinuxException e) {
      throw new IllegalStateException(e);
    } finally {
      done.set(true);
    }
  }

  @Test
  void manyNetworksFit() throws Exception {
    EgressRules rules = rules("127.0.0.1/32", Verdict.PASS);
    for (int i = 0; i < 1000; i++) {
      with(rules, "10." + i / 256 + "." + i % 256 + ".0/24");
      with(rules, "2001:db8:" + Integer.toHexString(i) + "::/48");
    }
    attach(rules).close();
    group.enter();
    assertTrue(reaches("127.0.0.1"));
    assertFalse(reaches("127.0.0.2"));
  }

  @Test
  void connectionsAreBroughtToTheRelay() throws Exception {
    EgressRules rules = rules("192.0.2.0/24", Verdict.RELAY);
    with(rules, "2001:db8::/32", Verdict.RELAY);
    with(rules, "198.51.100.0/24", Verdict.PASS, Verdict.RELAY_WEB);
    with(rules, "203.0.113.0/24", Verdict.PASS, Verdict.RELAY_WEB, Verdict.DNS);
    try (EgressOrigins origins = EgressOrigins.create();
        ServerSocketChannel relay = server(StandardProtocolFamily.INET, "127.0.0.1")) {
      int port = relay.socket().getLocalPort();
      EgressPrograms.Relay to = new EgressPrograms.Relay(port, origins);
      EgressPrograms.attach(group.path(), InetAddress.getByName(OWN), rules, to).close();
      group.enter();
      assertBrought(relay, origins, "192.0.2.77", 4321);
      assertBrought(relay, origins, "192.0.2.77", DNS_PORT);
      assertBrought(relay, origins, "2001:db8::77", 4321);
      assertBrought(relay, origins, "198.51.100.7", 80);
      assertBrought(relay, origins, "203.0.113.7", 443);
      assertFalse(sends("192.0.2.77", 80), "UDP is never relayed");
      assertFalse(reaches("127.0.0.1"), "no rule allows the relay's own address");
    }
  }

  private static void assertBrought(
      ServerSocketChannel relay, EgressOrigins origins, String host, int port) throws Exception {
    try (SocketChannel channel = SocketChannel.open(family(host))) {
      channel.connect(new InetSocketAddress(host, port));
      try (SocketChannel accepted = relay.accept()) {
        int source = ((InetSocketAddress) accepted.getRemoteAddress()).getPort();
        byte[] key =
            ByteBuffer.allocate(Integer.BYTES)
                .order(ByteOrder.nativeOrder())
                .putInt(source)
                .array();
        byte[] value = origins.byPort().remove(key);
        assertNotNull(value, host);
        ByteBuffer origin = ByteBuffer.wrap(value).order(ByteOrder.nativeOrder());
        byte[] address = InetAddress.getByName(host).getAddress();
        ByteBuffer words = ByteBuffer.allocate(address.length);
        for (int i = 0; i < address.length; i += Integer.BYTES) {
          words.putInt(origin.getInt(i));
        }
        assertArrayEquals(address, words.array(), host);
        assertEquals(address.length / Integer.BYTES, origin.getInt(16));
        assertEquals(port, origin.getInt(20));
        assertNull(origins.byPort().remove(key), "taken once");
      }
    }
  }

  @Test
  void withoutARelayNothingIsBroughtToOne() throws Exception {
    attach(rules("127.0.0.0/8", Verdict.RELAY)).close();
    group.enter();
    assertFalse(reaches("127.0.0.1"));
  }
}
