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

/** A request that comes again after the host was killed is done once, with real machines. */
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
    HttpURLConnection connection = host.connect("POST", "/sandboxes");
    connection.setRequestProperty("Idempotency-Key", key);
    connection.setRequestProperty("Content-Type", "application/json");
    connection.setDoOutput(true);
    connection.getOutputStream().write(BODY.getBytes(java.nio.charset.StandardCharsets.UTF_8));
    return JSON.readTree(connection.getInputStream());
  }

  private int sandboxes() throws IOException {
    try (var in = host.open("/sandboxes")) {
      return JSON.readTree(in).size();
    }
  }

  @Test
  void aHostKilledInTheMiddleMakesOneSandbox() throws Exception {
    // From before anything is there, over a machine that starts, to an answer nobody got.
    for (int millis : new int[] {30, 250, 600, 1200}) {
      String key = "after-" + millis;
      CompletableFuture<Boolean> first =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return create(key).has("sandboxID");
                } catch (IOException e) {
                  return false; // as expected: the host was killed
                }
              });
      Thread.sleep(millis);
      host.server().destroyForcibly().waitFor();
      first.get(30, TimeUnit.SECONDS);
      host = Installed.serve(ground.dataRoot(), Map.of());
      JsonNode again = create(key);
      assertEquals("running", again.path("state").asText(), again.toString());
      assertEquals(again, create(key));
      assertEquals(1, sandboxes(), key);
      String id = again.path("sandboxID").asText();
      Installed.Run ran = host.run("sandbox", "exec", id, "--", "echo", "there");
      assertTrue(ran.out().contains("there"), ran.err());
      assertEquals(204, host.request("DELETE", "/sandboxes/" + id, null));
    }
    assertEquals(0, host.run("storage", "check").status(), "nothing is left over");
  }
}
