// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.server.settings.Guest;
import dev.ramet.server.settings.Guest.Http;
import dev.ramet.server.settings.TestHost;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests how the host starts, refuses to start, and stops. */
@Timeout(900)
class MainTest {
  @ParameterizedTest
  @ValueSource(strings = {"0.0.0.0", "::", "192.0.2.1"})
  void wantsKeysWhereOthersReachIt(String address) {
    assertEquals(2, Main.run(null, "-ramet.port=-1", "-ramet.auth=OFF", "-ramet.bind=" + address));
  }

  @Test
  void leavesADataRootAloneWhenItsAddressIsTaken(@TempDir Path place) throws Exception {
    Path root = place.resolve("data");
    try (ServerSocket taken = new ServerSocket()) {
      taken.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      assertEquals(
          4, Main.run(null, "-ramet.port=" + taken.getLocalPort(), "-ramet.data-root=" + root));
    }
    assertFalse(Files.exists(root));
  }

  @Test
  void tellsRequestsWhyTheEngineDidNotOpen() throws Exception {
    try (TestHost host =
        new TestHost(
            Map.of(),
            settings -> {
              throw new RametException(ErrorCode.HOST_UNFIT, "no disk", "mount one", null);
            })) {
      assertEquals(200, host.get("/health").status());
      TestHost.Answer refused = host.get("/sandboxes");
      assertEquals(503, refused.status());
      assertEquals("mount one", refused.json().path("remedy").asText());
    }
  }

  @Test
  void finishesRequestsInFlightBeforeItStops() throws Exception {
    TestHost host = new TestHost(Map.of());
    CountDownLatch arrived = new CountDownLatch(1);
    CountDownLatch answer = new CountDownLatch(1);
    try (Guest guest =
            new Guest(
                http -> {
                  http.needHead();
                  arrived.countDown();
                  try {
                    answer.await();
                  } catch (InterruptedException e) {
                    throw new java.io.IOException(e);
                  }
                  http.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone");
                });
        Http client = Http.connect(host.port());
        Http api = Http.connect(host.port())) {
      String id = host.sandbox();
      host.engine.sandboxes.endpoints.put(id + ":49983", guest.address());
      client.send("GET / HTTP/1.1\r\nHost: localhost\r\nE2b-Sandbox-Id: " + id + "\r\n\r\n");
      String build = "{\"recipe\":\"slow\",\"name\":\"late\"}";
      api.send(
          "POST /templates HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
              + "Content-Length: "
              + build.length()
              + "\r\n\r\n"
              + build);
      assertTrue(arrived.await(10, TimeUnit.SECONDS));
      CompletableFuture<Void> stopped = CompletableFuture.runAsync(host::close);
      Thread.sleep(300);
      assertTrue(!stopped.isDone(), "it waits for the requests");
      assertTrue(!host.engine.closed, "it keeps the engine for them");
      answer.countDown();
      host.engine.templates.slow.countDown();
      assertEquals("done", client.body(client.needHead()));
      assertTrue(client.in.read() < 0, "no further request is taken");
      assertTrue(api.body(api.needHead()).contains("late"));
      stopped.get(30, TimeUnit.SECONDS);
      assertTrue(host.engine.closed);
      assertEquals(1, host.engine.sandboxes.byId.size());
    }
  }
}
