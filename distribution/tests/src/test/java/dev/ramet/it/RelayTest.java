// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.egress.rule.NetworkRules;
import dev.ramet.egress.rule.UpstreamProxy;
import dev.ramet.engine.sandboxes.CloneRequest;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.sandboxes.Sandboxes;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Tests real guests with rules for host names, or with a proxy. The name is {@code localhost},
 * which every host can resolve; guests connect to an address that nobody has.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class RelayTest {
  private static final NetworkRules CLOSED = new NetworkRules(List.of(), List.of("0.0.0.0/0"));
  private static final NetworkRules NAMED =
      new NetworkRules(List.of("localhost"), List.of("0.0.0.0/0"));

  private final AtomicInteger served = new AtomicInteger();
  private final List<String> asked = Collections.synchronizedList(new ArrayList<>());
  private Ground ground;
  private LocalServer server;
  private LocalServer proxy;

  @BeforeAll
  void makeGround() throws Exception {
    ground = EgressGround.make();
    server = LocalServer.start(this::answer);
    proxy = LocalServer.start(this::proxy);
  }

  private void answer(Socket client) throws IOException {
    served.incrementAndGet();
    byte[] read = new byte[4096];
    int n = client.getInputStream().read(read);
    String answer = n < 0 ? "nothing" : "here";
    client.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
  }

  /** Acts as a SOCKS5 proxy without authentication that responds to requests itself. */
  private void proxy(Socket client) throws IOException {
    InputStream in = client.getInputStream();
    in.readNBytes(in.readNBytes(2)[1]);
    client.getOutputStream().write(new byte[] {5, 0});
    byte[] head = in.readNBytes(4);
    byte[] to = in.readNBytes(head[3] == 3 ? in.read() : head[3] == 1 ? 4 : 16);
    int port = in.read() << 8 | in.read();
    asked.add(
        (head[3] == 3
                ? new String(to, StandardCharsets.US_ASCII)
                : InetAddress.getByAddress(to).getHostAddress())
            + ":"
            + port);
    client.getOutputStream().write(new byte[] {5, 0, 0, 1, 0, 0, 0, 0, 0, 0});
    in.read(new byte[4096]);
    client.getOutputStream().write("by proxy".getBytes(StandardCharsets.US_ASCII));
  }

  @AfterAll
  void clear() throws Exception {
    server.close();
    proxy.close();
    ground.close();
  }

  @AfterEach
  void killAll() {
    sandboxes().list().stream().map(Sandbox::id).forEach(id -> sandboxes().kill(id));
  }

  private Sandboxes sandboxes() {
    return ground.engine().sandboxes();
  }

  private String create(NetworkRules rules) {
    return create(null, rules);
  }

  private String create(@Nullable Boolean outbound, NetworkRules rules) {
    return EgressGround.create(ground, outbound, rules).id();
  }

  private String get(GuestShell guest, String name) throws IOException {
    return get(guest, name, EgressGround.NOBODY, server.port());
  }

  private static String get(GuestShell guest, String name, String address, int port)
      throws IOException {
    String request = "GET / HTTP/1.1\\r\\nHost: " + name + "\\r\\n\\r\\n";
    return guest.execute("printf '" + request + "' | nc -w 60 " + address + " " + port).stdout();
  }

  private void assertNamed(String id, String why) throws IOException {
    int before = served.get();
    assertEquals("here", get(ground.shell(id), "localhost"), why);
    String refused = get(ground.shell(id), "example.org");
    assertTrue(refused.startsWith("HTTP/1.1 403 "), why + ": " + refused);
    assertTrue(refused.contains("do not allow example.org"), why + ": " + refused);
    assertEquals(before + 1, served.get(), why);
  }

  @Test
  void namesHoldThroughTheLifeOfASandbox() throws Exception {
    String id = create(NAMED);
    assertNamed(id, "at first");
    assertEquals("", get(ground.shell(id), "localhost", "127.3.0.1", 80), "never reached");
    ground.engine().snapshots().create(id, "named");
    String clone = sandboxes().clone(id, new CloneRequest(1, 1, null)).sandboxes().get(0).id();
    assertNamed(clone, "a clone");
    sandboxes().pause(id, true);
    sandboxes().resume(id, null, true);
    assertNamed(id, "after a pause");
    sandboxes().setNetwork(id, CLOSED);
    assertEquals("", get(ground.shell(id), "localhost"), "without names");
    assertNamed(clone, "the clone has its own");
    sandboxes().rollback(id, "named");
    assertEquals("", get(ground.shell(id), "localhost"), "a rollback changes no rules");
    sandboxes().setNetwork(id, NAMED);
    assertNamed(id, "again");
    ground.engine().snapshots().delete("named", false);
  }

  @Test
  void namesHoldWithoutTheHostAndWithTheNext() throws Exception {
    String id = create(NAMED);
    GuestShell guest = ground.shell(id);
    assertNamed(id, "at first");
    ground.closeEngine();
    assertEquals("", get(guest, "localhost"), "nothing passes while no host runs");
    ground.openEngine();
    assertNamed(id, "with the next host");
    assertEquals(NAMED, sandboxes().get(id).rules().network());
  }

  @Test
  void namesHoldWhenTheHostIsKilled() throws Exception {
    String id = create(NAMED);
    GuestShell guest = ground.shell(id);
    ground.closeEngine();
    try {
      // By default guests cannot reach the host's loopback address, where the server listens.
      Map<String, String> settings = Map.of("RAMET_OUTBOUND_NEVER", EgressGround.NEVER);
      try (Installed host = Installed.serve(ground.dataRoot(), settings)) {
        assertEquals("here", get(guest, "localhost"), "with a host in a process of its own");
        host.server().destroyForcibly().waitFor();
        assertEquals("", get(guest, "localhost"), "without it");
      }
    } finally {
      ground.openEngine();
    }
    assertNamed(id, "with the next host");
  }

  /** A guest that uses a connection closed by new rules sees that it has ended. */
  @Test
  void openConnectionsEndThatAreRefusedNow() throws Exception {
    String id = create(NAMED);
    try (ServerSocket patient = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      GuestShell guest = ground.shell(id);
      guest.run(
          "mkfifo /tmp/in; (nc "
              + EgressGround.NOBODY
              + " "
              + patient.getLocalPort()
              + " < /tmp/in > /dev/null 2>&1; touch /tmp/ended) > /dev/null 2>&1 &"
              + " (exec 3> /tmp/in; printf 'GET / HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n' >&3;"
              + " sleep 1000) > /dev/null 2>&1 &");
      patient.setSoTimeout(60_000);
      try (Socket connection = patient.accept()) {
        connection.setSoTimeout(60_000);
        assertTrue(connection.getInputStream().read() == 'G');
        sandboxes().setNetwork(id, NetworkRules.NONE.denyingRest());
        assertThrows(IOException.class, () -> readToTheEnd(connection), "the server's side");
      }
      guest.run("for i in $(seq 600); do [ -e /tmp/ended ] && exit 0; sleep 0.1; done; exit 1");
    }
  }

  private static void readToTheEnd(Socket connection) throws IOException {
    connection.getInputStream().readAllBytes();
  }

  private NetworkRules through(NetworkRules rules) {
    return rules.withProxy(new UpstreamProxy("localhost", proxy.port(), "me", "secret"));
  }

  @Test
  void allLeavesThroughTheProxyOrNotAtAll() throws Exception {
    String id = create(through(NetworkRules.NONE));
    int before = served.get();
    assertEquals("by proxy", get(ground.shell(id), "localhost", EgressGround.NOBODY, 7777));
    sandboxes().setNetwork(id, through(NAMED));
    assertEquals("by proxy", get(ground.shell(id), "localhost", EgressGround.NOBODY, 7778));
    assertEquals(List.of(EgressGround.NOBODY + ":7777", "localhost:7778"), List.copyOf(asked));
    ground.closeEngine();
    ground.openEngine();
    assertEquals("by proxy", get(ground.shell(id), "localhost", EgressGround.NOBODY, 7779));

    int nobodys;
    try (ServerSocket unused = new ServerSocket(0)) {
      nobodys = unused.getLocalPort();
    }
    NetworkRules lost = NAMED.withProxy(new UpstreamProxy("127.0.0.1", nobodys, null, null));
    sandboxes().setNetwork(id, lost);
    String answer = get(ground.shell(id), "localhost");
    assertTrue(answer.startsWith("HTTP/1.1 502 "), answer);
    sandboxes().setNetwork(id, NetworkRules.NONE.withProxy(lost.egressProxy()));
    assertEquals("", get(ground.shell(id), "localhost", "10.0.2.2", server.port()));
    UpstreamProxy shut = new UpstreamProxy("127.3.0.1", proxy.port(), null, null);
    NetworkRules never = NetworkRules.NONE.withProxy(shut);
    assertEquals(
        ErrorCode.INVALID_ARGUMENT,
        assertThrows(RametException.class, () -> sandboxes().setNetwork(id, never)).code());
    assertEquals(before, served.get(), "never without it");
    sandboxes().setNetwork(id, NetworkRules.NONE);
    assertEquals("here", get(ground.shell(id), "x", "10.0.2.2", server.port()));
  }

  @Test
  void whatWouldDoNothingIsRefused() {
    int before = sandboxes().list().size();
    NetworkRules open = new NetworkRules(List.of("example.org"), List.of("10.0.0.0/8"));
    RametException refused = assertThrows(RametException.class, () -> create(open));
    assertEquals(ErrorCode.INVALID_ARGUMENT, refused.code());
    assertFalse(String.valueOf(refused.remedy()).isEmpty());
    assertEquals(before, sandboxes().list().size());
    assertThrows(RametException.class, () -> create(false, through(NetworkRules.NONE)));
    assertEquals(before, sandboxes().list().size());
    String id = create(CLOSED);
    assertThrows(RametException.class, () -> sandboxes().setNetwork(id, open));
    assertEquals(CLOSED, sandboxes().get(id).rules().network());
  }
}
