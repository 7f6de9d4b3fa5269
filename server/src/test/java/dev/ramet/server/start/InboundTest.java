// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.server.settings.Guest;
import dev.ramet.server.settings.Guest.Http;
import dev.ramet.server.settings.Guest.Http.Head;
import dev.ramet.server.settings.TestHost;
import dev.ramet.server.settings.TestHost.Answer;
import java.io.InputStream;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.stream.Stream;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests which requests may reach a sandbox's ports, and which headers its servers see. */
@Timeout(900)
class InboundTest {
  private static final int PORT = 8080;
  private static final String UPGRADE =
      "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: x\r\n";
  private static final String TOKEN = "E2b-Traffic-Access-Token";

  private final TestHost host = new TestHost(Map.of());
  private final BlockingQueue<Head> seen = new ArrayBlockingQueue<>(100);

  @AfterEach
  void close() {
    host.close();
  }

  private void answer(Http http) throws java.io.IOException {
    for (Head head = http.head(); head != null; head = http.head()) {
      String body = http.body(head);
      seen.add(head);
      http.send("HTTP/1.1 200 OK\r\nContent-Length: " + body.length() + "\r\n\r\n" + body);
    }
  }

  private JsonNode create(String network, String more) throws Exception {
    Answer made =
        host.post("/v2/sandboxes", "{\"templateID\":\"base\",\"network\":" + network + more + "}");
    assertEquals(201, made.status(), made.response().body());
    return made.json();
  }

  private void serves(String id, int port, Guest guest) {
    host.engine.sandboxes.endpoints.put(id + ":" + port, guest.address());
  }

  private Answer ask(String id, int port, String... headers) throws Exception {
    String[] all =
        Stream.concat(
                Stream.of("E2b-Sandbox-Id", id, "E2b-Sandbox-Port", "" + port), Stream.of(headers))
            .toArray(String[]::new);
    return host.send("POST", "/hello", "hello", all);
  }

  @Test
  void aClosedSandboxWantsItsTokenAtEveryPortButTheAgents() throws Exception {
    JsonNode closed = create("{\"allowPublicTraffic\":false}", "");
    String id = closed.path("sandboxID").asText();
    String token = closed.path("trafficAccessToken").asText();
    assertFalse(token.isEmpty());
    assertFalse(closed.at("/network/allowPublicTraffic").asBoolean(true));
    JsonNode other = create("{\"allowPublicTraffic\":false}", "");
    try (Guest guest = new Guest(this::answer)) {
      serves(id, PORT, guest);
      serves(id, 49983, guest);
      for (String[] headers :
          new String[][] {
            {},
            {TOKEN, ""},
            {TOKEN, token + "x"},
            {TOKEN, other.path("trafficAccessToken").asText()},
            {"X-Access-Token", token}
          }) {
        Answer refused = ask(id, PORT, headers);
        assertEquals(403, refused.status());
        assertEquals(403, refused.json().path("code").asInt());
        assertTrue(refused.json().path("remedy").asText().contains(TOKEN));
      }
      assertEquals(0, guest.connections.get());
      try (Http client = Http.connect(host.port())) {
        client.send(
            "GET / HTTP/1.1\r\nHost: localhost\r\nE2b-Sandbox-Id: "
                + id
                + "\r\nE2b-Sandbox-Port: 8080\r\n"
                + (TOKEN + ": " + token + "\r\n").repeat(2)
                + "\r\n");
        assertEquals("HTTP/1.1 400 Bad Request", client.needHead().line());
      }

      assertEquals("hello", ask(id, PORT, TOKEN, token).response().body());
      assertNull(seen.take().get(TOKEN.toLowerCase(java.util.Locale.ROOT)), "it is the host's");
      assertEquals("hello", ask(id, 49983).response().body());
    }
  }

  @Test
  void theTokenIsToldToWhoUsesTheSandboxAndNotInLists() throws Exception {
    JsonNode closed = create("{\"allowPublicTraffic\":false}", "");
    String id = closed.path("sandboxID").asText();
    String token = closed.path("trafficAccessToken").asText();
    Answer connected = host.post("/v2/sandboxes/" + id + "/connect", "{}");
    assertEquals(token, connected.json().path("trafficAccessToken").asText());
    for (JsonNode one : host.get("/v2/sandboxes").json()) {
      assertTrue(one.path("trafficAccessToken").isMissingNode(), one.toString());
    }
    JsonNode open = create("{\"allowPublicTraffic\":true}", "");
    assertTrue(open.path("trafficAccessToken").isMissingNode(), open.toString());
    assertTrue(open.path("network").isMissingNode(), open.toString());
  }

  @Test
  void whoMayNotComeInWakesNobody() throws Exception {
    JsonNode closed =
        create(
            "{\"allowPublicTraffic\":false}",
            ",\"autoPause\":true,\"autoResume\":{\"enabled\":true}");
    String id = closed.path("sandboxID").asText();
    assertEquals(204, host.post("/sandboxes/" + id + "/pause", null).status());
    try (Guest guest = new Guest(this::answer)) {
      serves(id, PORT, guest);
      assertEquals(403, ask(id, PORT).status());
      assertEquals(Sandbox.State.PAUSED, host.engine.sandboxes.get(id).state());
      Answer woken = ask(id, PORT, TOKEN, closed.path("trafficAccessToken").asText());
      assertEquals("hello", woken.response().body());
    }
  }

  @Test
  void serversSeeTheHostThatTheMaskSays() throws Exception {
    String id =
        create("{\"maskRequestHost\":\"app-${PORT}.example:${PORT}\"}", "")
            .path("sandboxID")
            .asText();
    try (Guest guest = new Guest(this::answer)) {
      serves(id, PORT, guest);
      serves(id, 49983, guest);
      assertEquals(200, ask(id, PORT).status());
      Head masked = seen.take();
      assertEquals("app-8080.example:8080", masked.get("host"));
      assertEquals("127.0.0.1:" + host.port(), masked.get("x-forwarded-host"));
      assertEquals(200, ask(id, 49983).status());
      assertEquals("localhost:49983", seen.take().get("host"));
    }
  }

  @Test
  void reachesServersThatSpeakTls(@TempDir Path directory) throws Exception {
    String id = create("{\"httpsPorts\":[8443,8444]}", "").path("sandboxID").asText();
    Guest.Script switching =
        http -> {
          Head head = http.needHead();
          if (head.get("upgrade") == null) {
            http.send(
                "HTTP/1.1 200 OK\r\nContent-Length: " + http.body(head).length() + "\r\n\r\n");
            http.send("hello");
            head = http.needHead();
          }
          http.send("HTTP/1.1 101 Switching Protocols\r\n" + UPGRADE + "\r\n");
          http.send("through " + http.line() + "\n");
        };
    try (Guest tls =
            new Guest(
                switching,
                context(directory)
                    .getServerSocketFactory()
                    .createServerSocket(0, 50, InetAddress.getLoopbackAddress()));
        Guest plain = new Guest(this::answer)) {
      serves(id, 8443, tls);
      serves(id, 8444, plain);
      serves(id, PORT, plain);
      assertEquals("hello", ask(id, 8443).response().body());
      try (Http client = Http.connect(host.port())) {
        client.send(
            "GET /ws HTTP/1.1\r\nHost: localhost\r\nE2b-Sandbox-Id: "
                + id
                + "\r\nE2b-Sandbox-Port: 8443\r\n"
                + UPGRADE
                + "\r\n");
        assertEquals("HTTP/1.1 101 Switching Protocols", client.needHead().line());
        client.send("TLS\n");
        assertEquals("through TLS", client.line());
      }
      Answer notTls = ask(id, 8444);
      assertEquals(502, notTls.status());
      assertTrue(notTls.response().body().contains("TLS"), notTls.response().body());
      assertEquals("hello", ask(id, PORT).response().body());
    }
  }

  private static SSLContext context(Path directory) throws Exception {
    Path store = directory.resolve("store");
    char[] password = "no secret".toCharArray();
    Process made =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "guest",
                "-dname",
                "CN=somebody else",
                "-keyalg",
                "EC",
                "-storetype",
                "PKCS12",
                "-keystore",
                store.toString(),
                "-storepass",
                new String(password))
            .inheritIO()
            .start();
    assertEquals(0, made.waitFor());
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, password);
    }
    KeyManagerFactory factory =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    factory.init(keys, password);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(factory.getKeyManagers(), null, null);
    return context;
  }

  @Test
  void whatCannotBeIsRefusedAndNothingIsMade() throws Exception {
    for (String bad :
        new String[] {
          "{\"maskRequestHost\":\"\"}",
          "{\"maskRequestHost\":\"a b\"}",
          "{\"maskRequestHost\":\"a\\r\\nX: y\"}",
          "{\"maskRequestHost\":\"${HOST}\"}",
          "{\"maskRequestHost\":\"a/b\"}",
          "{\"maskRequestHost\":\"" + "a".repeat(256) + "\"}",
          "{\"httpsPorts\":[0]}",
          "{\"httpsPorts\":[65536]}",
          "{\"httpsPorts\":[null]}",
          "{\"httpsPorts\":[49983]}",
          "{\"httpsPorts\":443}",
          "{\"allowPublicTraffic\":\"maybe\"}"
        }) {
      Answer refused =
          host.post("/v2/sandboxes", "{\"templateID\":\"base\",\"network\":" + bad + "}");
      assertEquals(400, refused.status(), bad + refused.response().body());
      assertEquals(400, refused.json().path("code").asInt(), bad);
    }
    assertEquals(0, host.engine.sandboxes.list().size());
  }

  @Test
  void theyAreDecidedWhenASandboxIsMade() throws Exception {
    JsonNode made = create("{\"allowPublicTraffic\":false,\"denyOut\":[\"10.0.0.0/8\"]}", "");
    String id = made.path("sandboxID").asText();
    for (String field :
        new String[] {
          "\"allowPublicTraffic\":true", "\"maskRequestHost\":\"a\"", "\"httpsPorts\":[1]"
        }) {
      Answer refused = host.put("/sandboxes/" + id + "/network", "{" + field + "}");
      assertEquals(400, refused.status(), field);
      assertFalse(refused.json().path("remedy").asText().isEmpty());
    }
    // New egress rules do not change the inbound rules.
    assertEquals(204, host.put("/sandboxes/" + id + "/network", "{}").status());
    JsonNode now = host.get("/sandboxes/" + id).json();
    assertEquals(
        "{\"allowOut\":[],\"denyOut\":[],\"allowPublicTraffic\":false}",
        now.path("network").toString());
    assertEquals(made.path("trafficAccessToken"), now.path("trafficAccessToken"));
  }
}
