// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.server.settings.TestHost;
import dev.ramet.server.start.BadInputs.Bad;
import dev.ramet.server.start.BadInputs.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Tests that every malformed request to every route gives an error of the caller, in the standard
 * form, and changes nothing. The routes and their fields come from the OpenAPI document, so that
 * none is missed.
 */
class BadInputCorpusTest {
  private static final int FEWEST = 3000;

  private static TestHost host = new TestHost(Map.of());
  private static Map<String, String> names = Map.of();

  @BeforeAll
  static void things() throws Exception {
    String sandbox = host.sandbox();
    host.post("/sandboxes/" + sandbox + "/snapshots", "{\"name\":\"taken\"}");
    name(sandbox);
  }

  private static void name(String sandbox) throws Exception {
    for (String volume : List.copyOf(host.engine.volumes.byId.keySet())) {
      host.engine.volumes.byId.remove(volume);
    }
    String volume = host.post("/volumes", "{\"name\":\"data\"}").json().path("volumeID").asText();
    names =
        Map.of(
            "sandboxes",
            sandbox,
            "snapshots",
            "taken",
            "templates",
            "base",
            "volumes",
            volume,
            "volumecontent",
            volume);
  }

  @AfterAll
  static void close() {
    host.close();
  }

  /** Returns the state that a refused request must not change. */
  private static String state() {
    return new TreeMap<>(host.engine.sandboxes.byId)
        + "\n"
        + new TreeMap<>(host.engine.snapshots.byId)
        + "\n"
        + new TreeMap<>(host.engine.templates.byName)
        + "\n"
        + new TreeMap<>(host.engine.volumes.byId);
  }

  @Test
  void everyBadRequestToEveryRouteIsTheCallersErrorAndChangesNothing() throws Exception {
    JsonNode document = host.get("/openapi.json").json();
    List<String> wrong = new ArrayList<>();
    int sent = 0;
    try (RawClient client = new RawClient(host.port())) {
      for (Map.Entry<String, JsonNode> path : document.path("paths").properties()) {
        for (Map.Entry<String, JsonNode> method : path.getValue().properties()) {
          BadInputs inputs = new BadInputs(document, path.getKey(), method.getValue(), names);
          for (Bad bad : inputs.all()) {
            String before = state();
            RawClient.Answer answer =
                client.send(method.getKey().toUpperCase(Locale.ROOT), bad.path(), bad.body());
            sent++;
            String problem = problem(bad, answer);
            boolean refused = answer.status() >= 400;
            if (problem == null && refused && !before.equals(state())) {
              problem = "it changed something";
            }
            if (problem != null) {
              wrong.add(
                  method.getKey() + " " + path.getKey() + " with " + bad.what() + ": " + problem);
            }
            if (!refused) {
              restore();
            }
          }
        }
      }
    }
    assertEquals(List.of(), wrong, wrong.size() + " of " + sent);
    assertTrue(sent > FEWEST, "only " + sent);
  }

  private static @Nullable String problem(Bad bad, RawClient.Answer answer) {
    if (answer.status() >= 500) {
      return "answered " + answer.status() + ": " + answer.body();
    }
    if (answer.status() < 400) {
      return bad.verdict() == Verdict.REFUSED ? "answered " + answer.status() : null;
    }
    JsonNode error = answer.json();
    boolean shaped =
        error.path("code").asInt() == answer.status()
            && !error.path("message").asText().isBlank()
            && error.path("error").isTextual();
    return shaped ? null : "not the error's shape: " + answer.body();
  }

  /** Restores the state after an accepted request, for the next one. */
  private static void restore() throws Exception {
    String sandbox = names.getOrDefault("sandboxes", "");
    if (!host.engine.sandboxes.byId.containsKey(sandbox)) {
      sandbox = host.sandbox();
    }
    for (String other : List.copyOf(host.engine.sandboxes.byId.keySet())) {
      if (!other.equals(sandbox)) {
        host.engine.sandboxes.byId.remove(other);
      }
    }
    host.engine.snapshots.byId.clear();
    host.engine.templates.byName.keySet().removeIf(name -> !name.equals("base"));
    if (host.engine.templates.byName.isEmpty()) {
      host.engine.templates.add("base", 1, 512L << 20, "key");
    }
    host.post("/sandboxes/" + sandbox + "/connect", "{}");
    host.post("/sandboxes/" + sandbox + "/snapshots", "{\"name\":\"taken\"}");
    name(sandbox);
  }
}
