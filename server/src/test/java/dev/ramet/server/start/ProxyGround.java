// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ramet.server.settings.Guest;
import dev.ramet.server.settings.Guest.Http.Head;
import dev.ramet.server.settings.TestHost;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/** Ground for tests of requests to guests: a host whose sandbox has a port that echoes. */
@Timeout(900)
abstract class ProxyGround {
  final TestHost host = new TestHost(Map.of("ramet.domain", "box.test"));
  final BlockingQueue<Head> seen = new ArrayBlockingQueue<>(100);
  String id = "";

  /** Responds to every request with the request itself: line, Host, body. */
  final Guest echo =
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

  static Guest guest(Guest.Script script) {
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

  String head(String method, String path) {
    return method
        + " "
        + path
        + " HTTP/1.1\r\nHost: localhost:3000\r\nE2b-Sandbox-Id: "
        + id
        + "\r\n";
  }

  static void awaitNoneOpen(Guest guest) throws InterruptedException {
    for (int i = 0; i < 30_000 && guest.open.get() > 0; i++) {
      Thread.sleep(10);
    }
    assertEquals(0, guest.open.get());
  }
}
