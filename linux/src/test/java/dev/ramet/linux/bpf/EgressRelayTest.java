// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.bpf;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.ramet.linux.bpf.EgressRules.Verdict;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.junit.jupiter.api.Test;

/** Tests that the programs bring connections to the relay, and tell it where they were going. */
final class EgressRelayTest extends EgressProgramsGround {
  EgressRelayTest() throws IOException {}

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
