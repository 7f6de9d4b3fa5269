// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.bpf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.bpf.EgressRules.Verdict;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Filters the sockets of this process: the kernel has to accept the programs, and to obey them. */
final class EgressProgramsTest extends EgressProgramsGround {
  EgressProgramsTest() throws IOException {}

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
}
