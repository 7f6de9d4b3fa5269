// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.egress.rule.NetworkRules;
import dev.ramet.egress.rule.RequestRules;
import dev.ramet.engine.sandboxes.CloneRequest;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.sandboxes.Sandboxes;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Tests rules for requests with real guests. The rules name {@code localhost}, which every host can
 * resolve; guests send the requests to an address that nobody has.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class GuestRequestsTest {
  private static final String HEADER = "X-Api-Key";
  private static final NetworkRules NAMED =
      new NetworkRules(List.of("localhost"), List.of("0.0.0.0/0"));
  private static final NetworkRules RULED =
      NAMED.withRequestRules(
          RequestRules.parse(
              Map.of("localhost", List.of(Map.of(HEADER, "key ${e2b.secrets.api}")))));

  /** The header's values that servers received, or "nothing". */
  private final Queue<String> told = new ConcurrentLinkedQueue<>();

  private Ground ground;
  private LocalServer plain;

  @BeforeAll
  void makeGround() throws Exception {
    ground = EgressGround.make();
    plain = LocalServer.start(this::answer);
  }

  private void answer(Socket client) throws IOException {
    BufferedReader in =
        new BufferedReader(
            new InputStreamReader(client.getInputStream(), StandardCharsets.ISO_8859_1));
    String value = "nothing";
    for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
      if (line.startsWith(HEADER + ": ")) {
        value = line.substring(HEADER.length() + 2);
      }
    }
    told.add(value);
    String answer = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nhere";
    client.getOutputStream().write(answer.getBytes(US_ASCII));
  }

  @AfterAll
  void clear() throws Exception {
    plain.close();
    ground.close();
  }

  @BeforeEach
  void makeSecret() {
    told.clear();
    ground.engine().secrets().create("api", "first-s3cret", Map.of());
  }

  @AfterEach
  void killAll() {
    sandboxes().list().stream().map(Sandbox::id).forEach(id -> sandboxes().kill(id));
    ground.engine().secrets().list().forEach(one -> ground.engine().secrets().delete(one.id()));
  }

  private Sandboxes sandboxes() {
    return ground.engine().sandboxes();
  }

  private String create(NetworkRules rules) {
    return EgressGround.create(ground, null, rules).id();
  }

  /** Sends a plain HTTP request in which the guest sets the header itself. */
  private String get(String id) throws IOException {
    String request =
        "GET / HTTP/1.1\\r\\nHost: localhost\\r\\nx-api-key: the guest'\"'\"'s\\r\\nConnection:"
            + " close\\r\\n\\r\\n";
    return ground
        .shell(id)
        .execute("printf '" + request + "' | nc -w 60 " + EgressGround.NOBODY + " " + plain.port())
        .stdout();
  }

  private void assertPutIn(String id, String value, String why) throws IOException {
    String answer = get(id);
    assertTrue(answer.endsWith("here"), why + ": " + answer);
    assertEquals("key " + value, told.poll(), why);
  }

  @Test
  void headersArePutInAsTheyLeave() throws Exception {
    String id = create(RULED);
    assertPutIn(id, "first-s3cret", "at first");
    ground.engine().secrets().update("api", "second-s3cret", null);
    assertPutIn(id, "second-s3cret", "at once");

    GuestShell guest = ground.shell(id);
    String own = guest.run("cat /usr/local/share/ca-certificates/ramet.crt");
    assertTrue(own.startsWith("-----BEGIN CERTIFICATE-----"), own);
    assertTrue(guest.run("cat /etc/ssl/certs/ca-certificates.crt").contains(own));
    assertEquals(
        "/etc/ssl/certs/ca-certificates.crt", guest.run("echo $SSL_CERT_FILE"), "commands");
    assertEquals("", guest.run("env | grep -i s3cret || true"));
    assertFalse(Files.readString(manifest(id)).contains("s3cret"));
    assertEquals(RULED, sandboxes().get(id).rules().network());

    ground.engine().secrets().delete("api");
    String gone = get(id);
    assertTrue(gone.startsWith("HTTP/1.1 502 ") && gone.contains("api"), gone);
    assertFalse(gone.contains("s3cret"), gone);
    assertEquals(0, told.size());
  }

  private Path manifest(String id) {
    return ground.root().resolve("sandboxes").resolve(id).resolve("manifest.json");
  }

  @Test
  void rulesGoWithTheSandboxThroughItsLife() throws Exception {
    String id = create(RULED);
    ground.engine().snapshots().create(id, "ruled");
    String clone = sandboxes().clone(id, new CloneRequest(1, 1, null)).sandboxes().get(0).id();
    assertPutIn(clone, "first-s3cret", "a clone");
    sandboxes().pause(id, true);
    sandboxes().resume(id, null, true);
    assertPutIn(id, "first-s3cret", "after a pause");
    ground.closeEngine();
    ground.openEngine();
    assertPutIn(id, "first-s3cret", "with the next host");
    sandboxes().setNetwork(id, NAMED);
    assertTrue(get(id).endsWith("here"));
    assertEquals("nothing", told.poll(), "without rules");
    sandboxes().rollback(id, "ruled");
    assertTrue(get(id).endsWith("here"));
    assertEquals("nothing", told.poll(), "a rollback changes no rules");
    assertPutIn(clone, "first-s3cret", "the clone has its own");
    ground.engine().snapshots().delete("ruled", false);
  }

  @Test
  void rulesComeToASandboxThatHadNone() throws Exception {
    String id = create(NAMED);
    assertTrue(get(id).endsWith("here"));
    assertEquals("nothing", told.poll());
    GuestShell guest = ground.shell(id);
    assertEquals("", guest.run("ls /usr/local/share/ca-certificates 2> /dev/null || true"));
    sandboxes().setNetwork(id, RULED);
    assertPutIn(id, "first-s3cret", "from now on");
    guest.run("test -s /etc/ssl/certs/ca-certificates.crt");
  }

  @Test
  void whatCannotTakeEffectIsRefusedAndChangesNothing() throws Exception {
    NetworkRules unknown =
        NAMED.withRequestRules(
            RequestRules.parse(Map.of("localhost", List.of(Map.of("X", "${e2b.secrets.none}")))));
    RametException refused = assertThrows(RametException.class, () -> create(unknown));
    assertEquals(ErrorCode.INVALID_ARGUMENT, refused.code());
    assertTrue(String.valueOf(refused.getMessage()).contains("none"), refused.getMessage());
    assertEquals(0, sandboxes().list().size());
    String id = create(RULED);
    assertThrows(RametException.class, () -> sandboxes().setNetwork(id, unknown));
    assertPutIn(id, "first-s3cret", "as before");
    assertEquals(RULED, sandboxes().get(id).rules().network());
  }
}
