// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress;

import static dev.ramet.egress.ProxyHarness.HOSTS;
import static dev.ramet.egress.ProxyHarness.policy;
import static dev.ramet.egress.ProxyHarness.read;
import static dev.ramet.egress.ProxyHarness.rest;
import static dev.ramet.egress.ProxyHarness.send;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.egress.proxy.ConnectionPolicy;
import dev.ramet.egress.proxy.ProxyServer;
import dev.ramet.egress.proxy.RequestInterceptor;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The limits of a sandbox's connections, how they end, and that no side outruns the other. */
@Timeout(900)
final class ConnectionsTest {
  private static final String GET = "GET / HTTP/1.1\r\nHost: a.test\r\n\r\n";

  /** More than the kernel and the proxy may hold for a side that does not read. */
  private static final int TOO_MUCH = 64 << 20;

  @AutoClose private final ProxyHarness net = new ProxyHarness();
  private final BlockingQueue<String> seen = new LinkedBlockingQueue<>();

  private String seen() throws InterruptedException {
    return String.valueOf(seen.poll(60, TimeUnit.SECONDS));
  }

  private void listening() throws Exception {
    net.host(socket -> seen.add(rest(socket)));
  }

  @Test
  void aSandboxHas256ConnectionsAtOnce() throws Exception {
    net.proxy(policy(true, null, RequestInterceptor.NONE));
    int port =
        net.host(
            socket -> {
              send(socket, ".");
              rest(socket);
            });
    net.wanted(HOSTS, port);
    List<Socket> most = new ArrayList<>();
    for (int i = 0; i < ProxyServer.MAX_CONNECTIONS; i++) {
      Socket guest = net.guest();
      assertEquals(".", read(guest, 1));
      most.add(guest);
    }
    try (Socket guest = net.guest()) {
      assertEquals("(broken)", rest(guest));
    }
    most.get(7).close();
    long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
    String got = "";
    while (!got.equals(".") && System.nanoTime() < end) {
      try (Socket guest = net.guest()) {
        got = read(guest, 1);
      } catch (IOException e) {
        got = "reset";
      }
    }
    assertEquals(".", got, "one that ended makes room");
  }

  @Test
  void aConnectionThatNoGuestOpenedIsReset() throws Exception {
    listening();
    try (ProxyServer server =
            ProxyServer.open(
                port -> null,
                name -> List.of(),
                policy(true, null, RequestInterceptor.NONE, "a.test"));
        Socket stranger = new Socket(java.net.InetAddress.getLoopbackAddress(), server.port())) {
      stranger.setSoTimeout(60_000);
      assertEquals("(broken)", rest(stranger));
    }
    assertEquals(0, net.hostConnections.get());
  }

  /** All wait at the same time, since each takes as long as a guest may. */
  @Test
  void aGuestHas30SecondsToSayTheName() throws Exception {
    net.proxy(RequestInterceptor.NONE, "a.test");
    listening();
    Socket idle = net.guest();
    send(idle, GET);
    long begin = System.nanoTime();
    List<Socket> slow = new ArrayList<>();
    for (String part : List.of("", "G", GET.substring(0, GET.length() - 2), "\026\003\001\000")) {
      Socket guest = net.guest();
      send(guest, part);
      slow.add(guest);
    }
    try (Socket later = net.guest()) {
      send(later, GET + "GET ");
      slow.add(later);
      for (Socket guest : slow) {
        assertEquals("(broken)", rest(guest));
        long seconds = Duration.ofNanos(System.nanoTime() - begin).toSeconds();
        assertTrue(seconds >= 25 && seconds < 45, seconds + " s");
      }
      assertEquals(GET + "(broken)", seen());
    }
    send(idle, GET);
    idle.shutdownOutput();
    assertEquals("(end)", rest(idle), "between requests it may wait for as long as it wants");
    assertEquals(GET + GET + "(end)", seen());
    assertEquals(2, net.hostConnections.get());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aSideThatDoesNotReadStopsTheOther(boolean http) throws Exception {
    net.proxy(policy(!http, null, RequestInterceptor.NONE, "a.test"));
    CountDownLatch reads = new CountDownLatch(1);
    AtomicLong sent = new AtomicLong();
    int port =
        net.host(
            socket -> {
              reads.await();
              seen.add(String.valueOf(rest(socket).length()));
            });
    net.wanted(http ? ProxyHarness.ELSEWHERE : HOSTS, port);
    try (Socket guest = net.guest()) {
      String head = "POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: " + TOO_MUCH + "\r\n\r\n";
      send(guest, head);
      Thread writer = new Thread(() -> write(guest, sent));
      writer.start();
      awaitStandstill(sent);
      assertTrue(sent.get() < TOO_MUCH / 2, sent + " bytes");
      reads.countDown();
      writer.join();
      guest.shutdownOutput();
      assertEquals("(end)", rest(guest));
      assertEquals(TOO_MUCH + head.length() + "(end)".length() + "", seen());
    }
  }

  @Test
  void aGuestThatDoesNotReadStopsTheHost() throws Exception {
    net.proxy(policy(true, null, RequestInterceptor.NONE));
    AtomicLong sent = new AtomicLong();
    int port =
        net.host(
            socket -> {
              read(socket, 1);
              write(socket, sent);
            });
    net.wanted(HOSTS, port);
    try (Socket guest = net.guest()) {
      send(guest, "x");
      awaitStandstill(sent);
      assertTrue(sent.get() < TOO_MUCH / 2, sent + " bytes");
      assertEquals(TOO_MUCH, read(guest, TOO_MUCH).length());
    }
  }

  private static void write(Socket to, AtomicLong sent) {
    byte[] bytes = new byte[64 << 10];
    try {
      while (sent.get() < TOO_MUCH) {
        to.getOutputStream().write(bytes);
        sent.addAndGet(bytes.length);
      }
    } catch (IOException e) {
      sent.set(-1);
    }
  }

  private static void awaitStandstill(AtomicLong sent) throws InterruptedException {
    long before = -1;
    for (long now = sent.get(); now != before || now == 0; now = sent.get()) {
      before = now;
      Thread.sleep(500);
    }
  }

  @Test
  void bytesToAnAllowedAddressPassAtOnceWhateverTheyAre() throws Exception {
    net.proxy(policy(true, null, RequestInterceptor.NONE));
    int port =
        net.host(
            socket -> {
              send(socket, "hello");
              seen.add(rest(socket));
              send(socket, "bye");
            });
    net.wanted(HOSTS, port);
    try (Socket guest = net.guest()) {
      assertEquals("hello", read(guest, 5), "before the guest says anything");
      send(guest, "\0\n\u00ff");
      guest.shutdownOutput();
      assertEquals("bye(end)", rest(guest));
    }
    assertEquals("\0\n\u00ff(end)", seen());
  }

  @Test
  void aResetIsPassedOn() throws Exception {
    net.proxy(policy(true, null, RequestInterceptor.NONE));
    int port =
        net.host(
            socket -> {
              socket.setTcpNoDelay(true);
              seen.add(rest(socket));
            });
    net.wanted(HOSTS, port);
    try (Socket guest = net.guest()) {
      send(guest, "x");
      Thread.sleep(300);
      guest.setSoLinger(true, 0);
    }
    assertEquals("x(broken)", seen());
    int other = net.host(socket -> socket.setSoLinger(true, 0));
    net.wanted(HOSTS, other);
    try (Socket guest = net.guest()) {
      assertEquals("(broken)", rest(guest));
    }
  }

  @Test
  void otherRulesAndTheEndOfTheProxyResetConnections() throws Exception {
    ConnectionPolicy both = policy(true, null, RequestInterceptor.NONE, "a.test");
    net.proxy(both);
    int port = net.host(socket -> seen.add(rest(socket)));
    net.wanted(HOSTS, port);
    Socket byAddress = net.guest();
    send(byAddress, "x");
    Thread.sleep(300);
    net.wanted(ProxyHarness.ELSEWHERE, port);
    try (Socket byName = net.guest()) {
      send(byName, GET);
      Thread.sleep(300);
      net.change(policy(false, null, RequestInterceptor.NONE, "a.test"));
      assertEquals("(broken)", rest(byAddress));
      assertEquals("x(broken)", seen());
      byName.setSoTimeout(500);
      try {
        assertEquals(-2, byName.getInputStream().read());
      } catch (SocketTimeoutException e) {
        assertFalse(byName.isClosed(), "its name is still allowed");
      }
      byName.setSoTimeout(60_000);
      net.close();
      assertEquals("(broken)", rest(byName));
    }
    String end = seen();
    assertTrue(end.startsWith(GET), end);
  }
}
