// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Checks with real machines that a request repeated after the host was killed takes effect once.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class RepeatedRequestsTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String BODY = "{\"templateID\":\"micro\",\"timeout\":-1}";

  private Ground ground;
  private Installed host;

  @BeforeAll
  void start() throws Exception {
    ground = Ground.make();
    ground.closeEngine();
    host = Installed.serve(ground.dataRoot(), Map.of());
  }

  @AfterAll
  void end() throws Exception {
    if (host != null) {
      host.close();
    }
    ground.openEngine();
    ground.close();
  }

  private JsonNode create(String key) throws IOException {
    return post("/sandboxes", BODY, key);
  }

  private JsonNode post(String path, String body, String key) throws IOException {
    HttpURLConnection connection = host.connect("POST", path);
    connection.setRequestProperty("Idempotency-Key", key);
    connection.setRequestProperty("Content-Type", "application/json");
    connection.setDoOutput(true);
    connection.getOutputStream().write(body.getBytes(java.nio.charset.StandardCharsets.UTF_8));
    return JSON.readTree(connection.getInputStream());
  }

  private int sandboxes() throws IOException {
    try (var in = host.open("/sandboxes")) {
      return JSON.readTree(in).size();
    }
  }

  /** Sends a request, kills the host meanwhile, and restarts it. */
  private void killAfter(int millis, String path, String body, String key) throws Exception {
    CompletableFuture<Boolean> first =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return !post(path, body, key).isEmpty();
              } catch (IOException e) {
                return false; // expected: the host was killed
              }
            });
    Thread.sleep(millis);
    host.server().destroyForcibly().waitFor();
    first.get(30, TimeUnit.SECONDS);
    host = Installed.serve(ground.dataRoot(), Map.of());
  }

  private void nothingIsLeftOver() throws Exception {
    Installed.Run check = host.run("storage", "check");
    assertEquals(0, check.status(), check.out() + check.err());
  }

  @Test
  void aHostKilledInTheMiddleMakesTheClonesAndTheSnapshotOnce() throws Exception {
    String id = create("parent").path("sandboxID").asText();
    String clones = "{\"count\":2,\"timeout\":-1}";
    killAfter(700, "/sandboxes/" + id + "/clone", clones, "clones");
    JsonNode made = post("/sandboxes/" + id + "/clone", clones, "clones");
    assertEquals(2, made.path("sandboxes").size(), made.toString());
    assertEquals(made, post("/sandboxes/" + id + "/clone", clones, "clones"));
    assertEquals(3, sandboxes());
    for (JsonNode clone : made.path("sandboxes")) {
      assertEquals("running", clone.path("state").asText());
      host.request("DELETE", "/sandboxes/" + clone.path("sandboxID").asText(), null);
    }

    killAfter(300, "/sandboxes/" + id + "/snapshots", "{\"name\":\"once\"}", "snapshot");
    JsonNode taken = post("/sandboxes/" + id + "/snapshots", "{\"name\":\"once\"}", "snapshot");
    assertEquals("once", taken.path("names").path(0).asText(), taken.toString());
    try (var in = host.open("/snapshots?sandboxID=" + id)) {
      assertEquals(1, JSON.readTree(in).size());
    }
    host.request("DELETE", "/snapshots/once", null);
    host.request("DELETE", "/sandboxes/" + id, null);
    nothingIsLeftOver();
  }

  @Test
  void aHostKilledInTheMiddleMakesOneSandbox() throws Exception {
    // Before anything is made, while the machine starts, and after a response that nobody received.
    for (int millis : new int[] {30, 400, 1000}) {
      String key = "after-" + millis;
      killAfter(millis, "/sandboxes", BODY, key);
      JsonNode again = create(key);
      assertEquals("running", again.path("state").asText(), again.toString());
      assertEquals(again, create(key));
      assertEquals(1, sandboxes(), key);
      String id = again.path("sandboxID").asText();
      Installed.Run ran = host.run("sandbox", "exec", id, "--", "echo", "there");
      assertTrue(ran.out().contains("there"), ran.err());
      assertEquals(204, host.request("DELETE", "/sandboxes/" + id, null));
    }
    nothingIsLeftOver();
  }
}
