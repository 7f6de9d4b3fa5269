// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.server.settings.Guest;
import dev.ramet.server.settings.Guest.Http;
import dev.ramet.server.settings.Guest.Http.Head;
import dev.ramet.server.settings.TestHost;
import dev.ramet.server.settings.TestHost.Answer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests which requests the data plane forwards, and which it answers itself. */
@Timeout(900)
class ProxyTest {
  private final TestHost host = new TestHost(Map.of("ramet.domain", "box.test"));
  private final BlockingQueue<Head> seen = new ArrayBlockingQueue<>(100);
  private String id = "";

  /** Responds to every request with the request itself: line, Host, body. */
  private final Guest echo =
      guest(
          http -> {
            for (Head head = http.head(); head != null; head = http.head()) {
              String body = head.line() + "|" + head.get("host") + "|" + http.body(head);
              seen.add(head);
              if (head.line().startsWith("HEAD")) {
                http.send("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n");
              } else {
                http.send(
                    "HTTP/1.1 201 Made\r\nX-Guest: yes\r\nConnection: keep-alive, x-hop\r\n"
                        + "X-Hop: 1\r\nKeep-Alive: timeout=5\r\nContent-Length: "
                        + body.length()
                        + "\r\n\r\n"
                        + body);
              }
            }
          });

  private static Guest guest(Guest.Script script) {
    try {
      return new Guest(script);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @BeforeEach
  void sandbox() throws Exception {
    id = host.sandbox();
    host.engine.sandboxes.endpoints.put(id + ":49983", echo.address());
  }

  @AfterEach
  void close() throws Exception {
    host.close();
    echo.close();
  }

  private Answer viaHeaders(String method, String path, String sandbox, String port)
      throws Exception {
    return host.send(method, path, null, "E2b-Sandbox-Id", sandbox, "E2b-Sandbox-Port", port);
  }

  private String head(String method, String path) {
    return method
        + " "
        + path
        + " HTTP/1.1\r\nHost: localhost:3000\r\nE2b-Sandbox-Id: "
        + id
        + "\r\n";
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
  void answersPipelinedRequestsInOrder() throws Exception {
    StringBuilder all = new StringBuilder();
    for (int i = 0; i < 10; i++) {
      all.append(head("POST", "/" + i)).append("Content-Length: 2\r\n\r\nhi");
      all.append("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
      all.append("GET /none/").append(i).append(" HTTP/1.1\r\nHost: localhost\r\n\r\n");
    }
    try (Http client = Http.connect(host.port())) {
      client.send(all.toString());
      for (int i = 0; i < 10; i++) {
        assertTrue(client.body(client.needHead()).startsWith("POST /" + i + " HTTP"));
        assertTrue(client.body(client.needHead()).contains("\"ok\""));
        assertTrue(client.body(client.needHead()).contains("404"));
      }
    }
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
  void refusesWhatIsNotClear() throws Exception {
    for (String headers :
        new String[] {
          "E2b-Sandbox-Port: 0",
          "E2b-Sandbox-Port: 65536",
          "E2b-Sandbox-Port: x",
          "E2b-Sandbox-Id: other",
          "Transfer-Encoding: gzip, chunked",
        }) {
      try (Http client = Http.connect(host.port())) {
        client.send(head("GET", "/") + headers + "\r\n\r\n");
        Head refused = client.needHead();
        assertTrue(refused.line().startsWith("HTTP/1.1 400"), headers + ": " + refused.line());
        assertTrue(client.body(refused).contains("INVALID_ARGUMENT"));
      }
    }
    for (String request :
        new String[] {
          "GET / HTTP/9.x\r\n\r\n",
          "GET\r\n\r\n",
          "GET / HTTP/1.1\r\nbad header\r\n\r\n",
          "GET /" + "x".repeat(10_000) + " HTTP/1.1\r\n\r\n",
          "GET / HTTP/1.1\r\nA: " + "x".repeat(10_000) + "\r\n\r\n",
        }) {
      try (Http client = Http.connect(host.port())) {
        client.send(request);
        Head refused = client.needHead();
        assertTrue(refused.line().startsWith("HTTP/1.1 4"), refused.line());
        assertTrue(client.body(refused).startsWith("{\"code\":4"));
      }
    }
    assertTrue(seen.isEmpty());
  }

  @Test
  void noPathLeadsIntoASandbox() throws Exception {
    for (String path :
        new String[] {
          "/49983-" + id + ".box.test/",
          "//49983-" + id + ".box.test/",
          "/sandboxes/" + id + "/../../x",
          "/" + id,
          "http://49983-" + id + ".box.test/",
        }) {
      try (Http client = Http.connect(host.port())) {
        client.send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
        assertFalse(client.needHead().line().contains(" 201 "), path);
      }
    }
    for (String name : new String[] {"49983-" + id + ".localhost", "x49983-" + id + ".box.test"}) {
      try (Http client = Http.connect(host.port())) {
        client.send("GET /health HTTP/1.1\r\nHost: " + name + "\r\n\r\n");
        assertTrue(client.body(client.needHead()).contains("\"ok\""), name);
      }
    }
    for (String name : new String[] {"49983-" + id + ".other.test", "49983-" + id}) {
      try (Http client = Http.connect(host.port())) {
        client.send("GET /health HTTP/1.1\r\nHost: " + name + "\r\n\r\n");
        assertTrue(client.needHead().line().contains(" 421 "), name);
      }
    }
    assertTrue(seen.isEmpty());
  }

  @Test
  void passesInterimAnswersAndEveryFraming() throws Exception {
    try (Guest guest =
        guest(
            http -> {
              Head expecting = http.needHead();
              http.send("HTTP/1.1 100 Continue\r\n\r\n");
              String body = http.body(expecting);
              http.send(
                  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                      + Integer.toHexString(body.length())
                      + "\r\n"
                      + body
                      + "\r\n0\r\n\r\n");
              http.needHead();
              http.send("HTTP/1.1 204 No Content\r\n\r\n");
              http.needHead();
              http.send("HTTP/1.0 200 OK\r\n\r\nuntil the end");
            })) {
      host.engine.sandboxes.endpoints.put(id + ":49983", guest.address());
      try (Http client = Http.connect(host.port())) {
        client.send(
            head("POST", "/") + "Expect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n");
        assertEquals("HTTP/1.1 100 Continue", client.needHead().line());
        client.send("5\r\nhello\r\n0\r\n\r\n");
        assertEquals("hello", client.body(client.needHead()));
        client.send(head("GET", "/") + "\r\n");
        assertEquals("HTTP/1.1 204 No Content", client.needHead().line());
        client.send(head("GET", "/") + "\r\n");
        assertEquals("until the end", client.body(client.needHead()));
      }
    }
  }

  @Test
  void tunnelsAfterAnUpgrade() throws Exception {
    try (Guest guest =
        guest(
            http -> {
              Head asked = http.needHead();
              seen.add(asked);
              http.send(
                  "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n"
                      + "Upgrade: websocket\r\nSec-WebSocket-Accept: x\r\n\r\nhello");
              for (int c = http.in.read(); c >= 0 && c != 'q'; c = http.in.read()) {
                http.out.write(Character.toUpperCase(c));
              }
            })) {
      host.engine.sandboxes.endpoints.put(id + ":49983", guest.address());
      try (Http client = Http.connect(host.port())) {
        client.send(
            head("GET", "/ws")
                + "Connection: Upgrade\r\nUpgrade: websocket\r\n"
                + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: x\r\n\r\n");
        Head switched = client.needHead();
        assertTrue(switched.line().startsWith("HTTP/1.1 101"));
        assertEquals("websocket", switched.get("upgrade"));
        assertEquals("websocket", seen.take().get("upgrade"));
        assertEquals("hello", client.text(5));
        client.send("\u0081abc");
        assertEquals("\u0081ABC", client.text(4));
        client.send("q");
        assertEquals(-1, client.in.read());
      }
      // The opposite case: the client disconnects, so the guest's connection is closed.
      try (Http client = Http.connect(host.port())) {
        client.send(head("GET", "/ws") + "Connection: upgrade\r\nUpgrade: websocket\r\n\r\n");
        client.needHead();
        client.text(5);
      }
      awaitNoneOpen(guest);
    }
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

  static void awaitNoneOpen(Guest guest) throws InterruptedException {
    for (int i = 0; i < 500 && guest.open.get() > 0; i++) {
      Thread.sleep(10);
    }
    assertEquals(0, guest.open.get());
  }
}
