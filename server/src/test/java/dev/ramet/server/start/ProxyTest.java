// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.server.settings.Guest;
import dev.ramet.server.settings.Guest.Http;
import dev.ramet.server.settings.Guest.Http.Head;
import dev.ramet.server.settings.TestHost;
import dev.ramet.server.settings.TestHost.Answer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests which requests the data plane forwards, and which it answers itself. */
final class ProxyTest extends ProxyGround {
  private Answer viaHeaders(String method, String path, String sandbox, String port)
      throws Exception {
    return host.send(method, path, null, "E2b-Sandbox-Id", sandbox, "E2b-Sandbox-Port", port);
  }

  /** No client has it, and no guest may learn that one tries. */
  @Test
  void theHostsSecretIsNotPassedOn() throws Exception {
    Answer answer =
        host.send(
            "GET",
            "/files",
            null,
            "E2b-Sandbox-Id",
            id,
            "E2b-Sandbox-Port",
            "49983",
            "x-ramet-HOST-secret",
            "guessed",
            "X-Other",
            "kept");
    assertEquals(201, answer.status());
    Head head = Objects.requireNonNull(seen.poll());
    assertEquals("kept", head.get("x-other"));
    assertNull(head.get("x-ramet-host-secret"));
  }

  @Test
  void passesRequestsOfBothRoutingsOverKeptConnections() throws Exception {
    try (Http client = Http.connect(host.port())) {
      client.send(
          head("POST", "/a/../b?q=%2F")
              + "Connection: keep-alive, X-Drop\r\nX-Drop: 1\r\n"
              + "Content-Length: 3\r\nX-Keep: 1\r\n\r\nabc");
      Head first = client.needHead();
      assertEquals("HTTP/1.1 201 Made", first.line());
      assertEquals("yes", first.get("x-guest"));
      assertNull(first.get("keep-alive"));
      assertNull(first.get("x-hop"));
      assertEquals("POST /a/../b?q=%2F HTTP/1.1|localhost:49983|abc", client.body(first));
      Head passed = seen.take();
      assertNull(passed.get("x-drop"));
      assertEquals("1", passed.get("x-keep"));
      assertEquals("localhost:3000", passed.get("x-forwarded-host"));

      client.send("GET /x HTTP/1.1\r\nHost: 49983-" + id + ".Box.Test:3000\r\n\r\n");
      assertEquals(
          "GET /x HTTP/1.1|49983-" + id + ".Box.Test:3000|", client.body(client.needHead()));

      // The same connection is used for the API and then for the guest again.
      client.send("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
      assertTrue(client.body(client.needHead()).contains("\"ok\""));
      client.send(head("GET", "/health") + "\r\n");
      assertTrue(client.body(client.needHead()).startsWith("GET /health"));
      client.send(head("HEAD", "/") + "\r\n" + head("GET", "/after") + "\r\n");
      assertEquals("99", client.needHead().get("content-length"));
      assertTrue(client.body(client.needHead()).startsWith("GET /after"));
    }
    assertEquals(1, echo.connections.get());
  }

  @Test
  void aRollbackLeavesNoOldConnection() throws Exception {
    assertEquals(201, viaHeaders("GET", "/", id, "49983").status());
    try (Guest after =
        guest(
            http -> {
              for (Head h = http.head(); h != null; h = http.head()) {
                http.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
              }
            })) {
      host.engine.sandboxes.endpoints.put(id + ":49983", after.address());
      assertEquals(200, viaHeaders("GET", "/", id, "49983").status());
    }
    assertEquals(1, seen.size());
  }

  @Test
  void saysThatASandboxIsPausedAndHowToResumeIt() throws Exception {
    String paused = host.sandbox();
    host.engine.sandboxes.pause(paused, true);
    for (String port : new String[] {"49983", "80"}) {
      Answer answer = viaHeaders("GET", "/health", paused, port);
      assertEquals(502, answer.status(), "clients of the E2B protocol see from it that it is away");
      assertEquals("CONFLICT", answer.json().path("error").asText());
      assertEquals("sandbox " + paused + " is paused", answer.json().path("message").asText());
      assertEquals(
          "resume it with: ramet sandbox resume " + paused, answer.json().path("remedy").asText());
    }
  }

  @Test
  void saysWhatIsNotThere() throws Exception {
    Answer none = viaHeaders("GET", "/health", "none", "49983");
    assertEquals(502, none.status());
    assertEquals(
        "{\"sandboxId\":\"none\",\"message\":\"The sandbox was not found\",\"code\":502}",
        none.response().body());

    try (ServerSocket closed = new ServerSocket(0)) {
      host.engine.sandboxes.endpoints.put(
          id + ":80",
          new InetSocketAddress(InetAddress.getLoopbackAddress(), closed.getLocalPort()));
    }
    assertPortClosed(viaHeaders("POST", "/", id, "80"), 80);
    assertPortClosed(viaHeaders("GET", "/", id, "81"), 81);
    // As user-mode networks do: connections are accepted first and closed later.
    try (Guest dropping = guest(http -> {})) {
      host.engine.sandboxes.endpoints.put(id + ":82", dropping.address());
      assertPortClosed(viaHeaders("GET", "/", id, "82"), 82);
    }
    try (Http client = Http.connect(host.port())) {
      client.send(head("POST", "/") + "E2b-Sandbox-Port: 80\r\nContent-Length: 1000000\r\n\r\n");
      Head refused = client.needHead();
      assertTrue(refused.line().startsWith("HTTP/1.1 502"));
      assertEquals("close", refused.get("connection"));
    }
  }

  private void assertPortClosed(Answer answer, int port) {
    assertEquals(502, answer.status());
    assertEquals(
        "{\"sandboxId\":\""
            + id
            + "\",\"message\":\"The sandbox is running but port is not open\""
            + ",\"port\":"
            + port
            + ",\"code\":502}",
        answer.response().body());
  }

  @Test
  void waitsForTheEngineWithoutHoldingUpHealth() throws Exception {
    BlockingQueue<String> go = new ArrayBlockingQueue<>(1);
    try (TestHost slow =
        new TestHost(
            Map.of("ramet.engine-wait", "1s"),
            settings -> {
              try {
                assertNotNull(go.poll(30, TimeUnit.SECONDS));
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
              return new FakeEngine();
            })) {
      assertEquals(200, slow.get("/health").status());
      assertEquals(503, slow.get("/sandboxes").json().path("code").asInt());
      assertEquals(503, slow.send("GET", "/", null, "E2b-Sandbox-Id", "x").status());
      go.add("open");
      assertEquals(502, slow.send("GET", "/", null, "E2b-Sandbox-Id", "x").status());
      assertEquals(200, slow.get("/sandboxes").status());
    }
  }
}
