// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.egress.rule.NetworkRules;
import dev.ramet.engine.OutboundSettings;
import dev.ramet.engine.sandboxes.CloneRequest;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.sandboxes.Sandboxes;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Tests which addresses real guests can reach. The rules concern the loopback address of this host,
 * which user networking shows to guests as 10.0.2.2.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class NetworkTest {
  private static final NetworkRules CLOSED = new NetworkRules(List.of(), List.of("0.0.0.0/0"));
  private static final NetworkRules BUT_THIS =
      new NetworkRules(List.of("127.0.0.1"), List.of("0.0.0.0/0"));

  private final AtomicInteger served = new AtomicInteger();
  private Ground ground;
  private LocalServer server;

  /** The host's outbound policy from its next start on. */
  private boolean open = true;

  private List<String> never = List.of();

  @BeforeAll
  void makeGround() throws Exception {
    ground = EgressGround.make(config -> EgressGround.outbound(config, open, never));
    server = LocalServer.start(this::answer);
  }

  private void answer(Socket client) throws IOException {
    served.incrementAndGet();
    client.getOutputStream().write("here".getBytes(StandardCharsets.US_ASCII));
  }

  @AfterAll
  void clear() throws Exception {
    server.close();
    ground.close();
  }

  @BeforeEach
  void asBefore() {
    if (!never.isEmpty() || !open) {
      never = List.of();
      open = true;
      ground.closeEngine();
      ground.openEngine();
    }
  }

  @AfterEach
  void killAll() throws Exception {
    ground.steps().reset();
    List<String> ids = sandboxes().list().stream().map(Sandbox::id).toList();
    ids.forEach(id -> sandboxes().kill(id));
    List<Path> left = List.of();
    for (int i = 0; i < 100; i++) {
      left = groups(ids);
      if (left.isEmpty()) {
        return;
      }
      Thread.sleep(50);
    }
    assertEquals(List.of(), left, "control groups of machines that are gone");
  }

  private static List<Path> groups(List<String> ids) throws IOException {
    Optional<Path> mount =
        Files.readAllLines(Path.of("/proc/self/mountinfo")).stream()
            .filter(line -> line.contains(" - cgroup2 "))
            .map(line -> Path.of(line.split(" ", -1)[4]))
            .findFirst();
    if (mount.isEmpty()) {
      return List.of();
    }
    return Trees.below(mount.get()).stream()
        .filter(path -> ids.stream().anyMatch(path.toString()::contains))
        .filter(Files::isDirectory)
        .toList();
  }

  private Sandboxes sandboxes() {
    return ground.engine().sandboxes();
  }

  private Sandbox create(@Nullable Boolean outbound, NetworkRules rules) {
    return EgressGround.create(ground, outbound, rules);
  }

  private boolean reaches(GuestShell guest) throws IOException {
    int before = served.get();
    String answer = guest.execute("nc -w 10 10.0.2.2 " + server.port()).stdout();
    boolean answered = answer.equals("here");
    assertTrue(answered || answer.isEmpty(), answer);
    assertEquals(answered, served.get() > before, "nothing arrives of what is not answered");
    return answered;
  }

  private boolean reaches(String id) throws IOException {
    return reaches(ground.shell(id));
  }

  private static ErrorCode codeOf(Runnable call) {
    return assertThrows(RametException.class, call::run).code();
  }

  @Test
  void rulesHoldAndChange() throws Exception {
    String id = create(null, new NetworkRules(List.of(), List.of("127.0.0.0/8"))).id();
    assertFalse(reaches(id));
    assertEquals(
        NetworkRules.NONE, sandboxes().setNetwork(id, NetworkRules.NONE).rules().network());
    assertTrue(reaches(id));
    sandboxes().setNetwork(id, CLOSED);
    assertFalse(reaches(id));
    assertEquals(BUT_THIS, sandboxes().setNetwork(id, BUT_THIS).rules().network());
    assertTrue(reaches(id));
  }

  /** Rules also apply to open connections. */
  @Test
  void rulesHoldForConnectionsThatAreOpen() throws Exception {
    String id = create(true, NetworkRules.NONE).id();
    try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      GuestShell guest = ground.shell(id);
      guest.run(
          "mkfifo /tmp/in; (nc 10.0.2.2 "
              + other.getLocalPort()
              + " < /tmp/in > /dev/null 2>&1 &) ; (exec 3> /tmp/in; echo first >&3;"
              + " while [ ! -e /tmp/go ]; do sleep 0.1; done; echo second >&3; sleep 1000)"
              + " > /dev/null 2>&1 &");
      try (Socket connection = other.accept()) {
        connection.setSoTimeout(10_000);
        assertEquals("first\n", read(connection, 6));
        sandboxes().setNetwork(id, CLOSED);
        guest.run("touch /tmp/go; sleep 1");
        connection.setSoTimeout(1000);
        assertThrows(IOException.class, () -> read(connection, 1), "cut off");
        sandboxes().setNetwork(id, NetworkRules.NONE);
        connection.setSoTimeout(60_000);
        assertEquals("second\n", read(connection, 7), "TCP sends again what was held back");
      }
    }
  }

  private static String read(Socket socket, int bytes) throws IOException {
    byte[] read = socket.getInputStream().readNBytes(bytes);
    if (read.length < bytes) {
      throw new IOException("ended after " + read.length + " bytes");
    }
    return new String(read, StandardCharsets.US_ASCII);
  }

  @Test
  void rulesGoWithTheSandboxThroughItsLife() throws Exception {
    String id = create(null, CLOSED).id();
    ground.engine().snapshots().create(id, "shut");
    String clone = sandboxes().clone(id, new CloneRequest(1, 1, null)).sandboxes().get(0).id();
    assertFalse(reaches(clone), "a clone");
    assertEquals(CLOSED, sandboxes().get(clone).rules().network());

    sandboxes().pause(id, true);
    sandboxes().resume(id, null, true);
    assertFalse(reaches(id), "after a pause");
    sandboxes().pause(id, false);
    sandboxes().setNetwork(id, BUT_THIS);
    sandboxes().resume(id, null, true);
    assertTrue(reaches(id), "set while it was paused, and booted");
    assertFalse(reaches(clone), "the clone has its own");

    sandboxes().setNetwork(id, CLOSED);
    sandboxes().rollback(id, "shut");
    assertFalse(reaches(id), "after a rollback");
    ground.engine().snapshots().delete("shut", false);
  }

  @Test
  void rulesHoldWithoutTheHost() throws Exception {
    String id = create(null, CLOSED).id();
    GuestShell guest = ground.shell(id);
    ground.closeEngine();
    assertFalse(reaches(guest), "while no host runs");
    ground.openEngine();
    assertFalse(reaches(id), "with the next");
    sandboxes().setNetwork(id, NetworkRules.NONE);
    assertTrue(reaches(id));
  }

  @Test
  void noGuestReachesTheHostItself() throws Exception {
    String id = create(null, BUT_THIS).id();
    assertTrue(reaches(id));
    ground.closeEngine();
    never = OutboundSettings.THIS_HOST;
    ground.openEngine();
    assertFalse(reaches(id), "one that ran already");
    assertFalse(reaches(create(null, BUT_THIS).id()), "although it was allowed");
    assertFalse(reaches(create(null, NetworkRules.NONE).id()));
  }

  @Test
  void oneThatMayNotOpenConnections() throws Exception {
    String id = create(false, NetworkRules.NONE).id();
    assertFalse(reaches(id));
    assertEquals(CLOSED, sandboxes().setNetwork(id, CLOSED).rules().network());
    assertEquals(ErrorCode.CONFLICT, codeOf(() -> sandboxes().setNetwork(id, BUT_THIS)));
    assertEquals(CLOSED, sandboxes().get(id).rules().network());
    assertEquals(ErrorCode.INVALID_ARGUMENT, codeOf(() -> create(false, BUT_THIS)));
    assertEquals(1, sandboxes().list().size());
  }

  @Test
  void whereGuestsOpenNothingByThemselves() throws Exception {
    ground.closeEngine();
    open = false;
    ground.openEngine();
    assertFalse(reaches(create(null, NetworkRules.NONE).id()));
    assertFalse(reaches(create(null, CLOSED).id()));
    Sandbox exception = create(null, new NetworkRules(List.of("127.0.0.1"), List.of()));
    assertTrue(reaches(exception.id()));
    assertEquals(BUT_THIS, exception.rules().network(), "and nothing else");
    assertTrue(reaches(create(true, NetworkRules.NONE).id()));
  }

  @Test
  void whatCannotBeRecordedIsNotInForce() throws Exception {
    String id = create(null, CLOSED).id();
    ground.steps().breakAt("network.commit", 0);
    assertThrows(RuntimeException.class, () -> sandboxes().setNetwork(id, NetworkRules.NONE));
    ground.steps().reset();
    assertFalse(reaches(id));
    assertEquals(CLOSED, sandboxes().get(id).rules().network());
  }
}
