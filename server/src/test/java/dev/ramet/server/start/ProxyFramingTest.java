// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.server.settings.Guest;
import dev.ramet.server.settings.Guest.Http;
import dev.ramet.server.settings.Guest.Http.Head;
import org.junit.jupiter.api.Test;

/** Checks requests that are pipelined, unclear, upgraded or answered in parts. */
final class ProxyFramingTest extends ProxyGround {
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
}
