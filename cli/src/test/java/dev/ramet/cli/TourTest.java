// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.cli.http.Json;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class TourTest {
  @TempDir private Path folder;

  private record Result(FakeHost.Outcome outcome, JsonNode json, FakeRamet ramet) {}

  private Result tour(FakeRamet.Flaw flaw) throws Exception {
    Path file = folder.resolve("tour.json");
    try (FakeHost host = new FakeHost()) {
      FakeRamet ramet = new FakeRamet(host, flaw);
      FakeHost.Outcome outcome =
          host.run("tour", "--json", file.toString(), "--clones", "3", "--concurrency", "2");
      return new Result(outcome, Json.tree(Files.readAllBytes(file)), ramet);
    }
  }

  private static List<String> names(JsonNode object) {
    List<String> names = new ArrayList<>();
    object.fieldNames().forEachRemaining(names::add);
    return names;
  }

  @Test
  void everythingHolds() throws Exception {
    Result tour = tour(FakeRamet.Flaw.NONE);
    assertEquals(0, tour.outcome().status(), tour.outcome().err());
    assertTrue(tour.outcome().out().contains("All checks passed."), tour.outcome().out());
    JsonNode json = tour.json();
    assertEquals(List.of("host", "steps", "snapshot", "rollback", "clone", "checks"), names(json));
    assertEquals("GOOD", json.path("host").path("verdict").textValue());
    assertEquals(List.of("name", "ms", "detail"), names(json.path("steps").get(0)));
    assertEquals(
        List.of(
            "pause_ms",
            "total_ms",
            "memory_bytes_written",
            "memory_bytes_total",
            "mode",
            "mode_reason"),
        names(json.path("snapshot")));
    assertEquals(4.5, json.path("snapshot").path("pause_ms").doubleValue());
    assertEquals(List.of("ms"), names(json.path("rollback")));
    JsonNode clone = json.path("clone");
    assertEquals(
        List.of(
            "n",
            "concurrency",
            "total_ms",
            "per_clone_ms",
            "disk_bytes_added",
            "anon_bytes_per_clone"),
        names(clone));
    assertEquals(3, clone.path("n").intValue());
    assertEquals(30, clone.path("disk_bytes_added").longValue());
    assertTrue(clone.path("anon_bytes_per_clone").longValue() > 0);
    assertEquals(List.of("name", "ok"), names(json.path("checks").get(0)));
    assertTrue(checks(json, true) > 8);
    assertEquals(0, checks(json, false));
    assertTrue(tour.ramet().boxes.isEmpty());
    assertTrue(tour.ramet().snapshots.isEmpty());
  }

  private static long checks(JsonNode json, boolean ok) {
    return StreamSupport.stream(json.path("checks").spliterator(), false)
        .filter(check -> check.path("ok").booleanValue() == ok)
        .count();
  }

  @ParameterizedTest
  @CsvSource({
    "ROLLBACK_LOSES_THE_VARIABLE, the variable of the running process is back",
    "CLONES_SHARE_THE_DISK, every clone sees only its own changes",
    "SOURCE_RESTARTS, the source kept running in the same hypervisor process"
  })
  void aFlawIsSeen(FakeRamet.Flaw flaw, String check) throws Exception {
    Result tour = tour(flaw);
    assertEquals(1, tour.outcome().status(), tour.outcome().out());
    assertTrue(tour.outcome().out().contains("WRONG " + check), tour.outcome().out());
    boolean seen = false;
    for (JsonNode c : tour.json().path("checks")) {
      seen |= c.path("name").textValue().equals(check) && !c.path("ok").booleanValue();
    }
    assertTrue(seen, tour.json().toString());
    assertTrue(tour.ramet().boxes.isEmpty());
  }

  @Test
  void aFailureEndsItAndNothingIsLeft() throws Exception {
    Result tour = tour(FakeRamet.Flaw.CLONE_FAILS);
    assertEquals(5, tour.outcome().status());
    assertEquals("error: full\n  delete some\n", tour.outcome().err());
    assertTrue(tour.json().path("clone").isNull());
    assertNotNull(tour.json().path("snapshot").get("pause_ms"));
    assertFalse(tour.json().path("checks").isEmpty());
    assertEquals(1, checks(tour.json(), false));
    assertTrue(tour.ramet().boxes.isEmpty());
    assertTrue(tour.ramet().snapshots.isEmpty());
  }

  @Test
  void deletingIsTriedAgain() throws Exception {
    Result tour = tour(FakeRamet.Flaw.DELETE_FAILS_ONCE);
    assertEquals(0, tour.outcome().status(), tour.outcome().out());
    assertTrue(tour.ramet().boxes.isEmpty());
  }
}
