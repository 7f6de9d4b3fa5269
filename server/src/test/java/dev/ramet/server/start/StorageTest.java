// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ramet.server.settings.TestHost;
import dev.ramet.server.settings.TestHost.Answer;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests the storage routes for operators. */
class StorageTest {
  private final TestHost host = new TestHost(Map.of());

  @AfterEach
  void close() {
    host.close();
  }

  @Test
  void aCheckNeedsNoBodyAndChangesNothing() throws Exception {
    for (String body : new String[] {null, "{}", "{\"repair\":false}"}) {
      Answer answer = host.post("/storage/check", body);
      assertEquals(200, answer.status(), answer.response().body());
      JsonNode findings = answer.json().path("findings");
      assertEquals(5, findings.size());
      assertEquals("leftover", findings.path(0).path("kind").asText());
      assertEquals("warning", findings.path(0).path("severity").asText());
      assertEquals("possible", findings.path(0).path("repair").asText());
      assertEquals("foreign", findings.path(3).path("kind").asText());
      assertEquals("error", findings.path(4).path("severity").asText());
      assertEquals(3 * 4096, answer.json().path("bytes").asLong());
      assertEquals(1, answer.json().path("sandboxes").asInt());
    }
    assertEquals(3, host.engine.storage.leftovers.size());
  }

  @Test
  void aRepairTellsWhatItDid() throws Exception {
    Answer answer = host.post("/storage/check", "{\"repair\":true}");
    assertEquals("done", answer.json().path("findings").path(0).path("repair").asText());
    assertEquals(2, host.post("/storage/check", null).json().path("findings").size());
    assertEquals(400, host.post("/storage/check", "{\"repair\":\"yes\"}").status());
  }

  @Test
  void collectingCanBeTriedFirst() throws Exception {
    assertEquals(3, host.post("/storage/gc", "{\"dryRun\":true}").json().path("findings").size());
    Answer done = host.post("/storage/gc", null);
    assertEquals(3 * 4096, done.json().path("bytes").asLong());
    assertTrue(done.json().path("nodes").isMissingNode());
    assertEquals(0, host.post("/storage/gc", null).json().path("findings").size());
  }

  @Test
  void usageIsOneObjectOrManyLines() throws Exception {
    JsonNode all = host.get("/storage/usage").json();
    assertEquals(3, all.path("nodes").size());
    assertEquals((1 << 30) - (1 << 20), all.path("roots").path(0).path("usedBytes").asLong());
    host.engine.storage.nodes = 5000;
    Answer answer = host.send("GET", "/storage/usage", null, "Accept", "application/x-ndjson");
    List<String> lines = answer.response().body().lines().toList();
    assertEquals(5001, lines.size());
    ObjectMapper mapper = new ObjectMapper();
    assertEquals("n0.disk", mapper.readTree(lines.get(0)).path("node").path("id").asText());
    assertEquals("/data", mapper.readTree(lines.get(5000)).path("root").path("path").asText());
  }
}
