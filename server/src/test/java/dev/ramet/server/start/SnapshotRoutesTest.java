// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.engine.snapshots.NewSnapshot;
import dev.ramet.server.settings.TestHost.Answer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Checks the routes of snapshots, clones and forks. */
final class SnapshotRoutesTest extends ApiGround {
  @Test
  void aSnapshotNeedNotBeWaitedForAndItsReadersWaitUnlessAskedNotTo() throws Exception {
    String id = host.sandbox();
    host.engine.snapshots.awaited.clear();
    Answer made = host.post("/sandboxes/" + id + "/snapshots?wait=false", "{\"name\":\"late\"}");
    assertEquals(202, made.status());
    assertEquals("WRITING", made.json().path("status").asText());
    assertEquals(200, host.get("/snapshots/late").status());
    assertEquals(List.of(), host.engine.snapshots.awaited);
    assertEquals(200, host.get("/snapshots/late?wait=true&timeout=1").status());
    String rollback = "/sandboxes/" + id + "/rollback";
    assertEquals(200, host.post(rollback, "{\"snapshotID\":\"late\"}").status());
    assertEquals(201, host.post("/snapshots/late/fork", "{}").status());
    host.post("/sandboxes", "{\"templateID\":\"late\"}");
    assertEquals(List.of("late", "late", "late", "late"), host.engine.snapshots.awaited);
    assertEquals(200, host.post(rollback + "?wait=false", "{\"snapshotID\":\"late\"}").status());
    assertEquals(201, host.post("/snapshots/late/fork?wait=false", "{}").status());
    assertEquals(204, host.delete("/snapshots/late?wait=false").status());
    assertEquals(4, host.engine.snapshots.awaited.size());
    assertEquals(400, host.get("/snapshots/late?wait=perhaps").status());
    assertEquals(400, host.get("/snapshots/late?wait=true&timeout=-1").status());
  }

  @Test
  void comparesTwoSnapshots() throws Exception {
    String id = host.sandbox();
    host.post("/sandboxes/" + id + "/snapshots", "{\"name\":\"a\"}");
    host.post("/sandboxes/" + id + "/snapshots", "{\"name\":\"b\"}");
    JsonNode diff = host.get("/snapshots/a/diff/b").json();
    assertEquals(2, diff.path("disk").path("differingPages").asInt());
    assertEquals(4096, diff.path("disk").path("ranges").path(0).path("offset").asInt());
    assertTrue(diff.path("memory").isMissingNode());
    assertEquals(0, host.get("/snapshots/a/diff/b?limit=0").json().at("/disk/ranges").size());
    assertEquals(404, host.get("/snapshots/a/diff/c").status());
    assertEquals(400, host.get("/snapshots/a/diff/b?limit=-1").status());
  }

  @Test
  void answersWithTheLastSnapshotIfNothingChanged() throws Exception {
    String path = "/sandboxes/" + host.sandbox() + "/snapshots";
    assertEquals(201, host.post(path, "{\"ifChanged\":true}").status());
    Answer changed = host.post(path, "{\"ifChanged\":true}");
    assertEquals(201, changed.status());
    host.engine.snapshots.changed = false;
    Answer same = host.post(path, "{\"ifChanged\":true}");
    assertEquals(200, same.status());
    assertEquals(
        changed.json().path("snapshotID").asText(), same.json().path("snapshotID").asText());
    assertEquals(200, host.post(path + "?wait=false", "{\"ifChanged\":true}").status());
    assertEquals(201, host.post(path, "{\"ifChanged\":false}").status());
    assertEquals(400, host.post(path, "{\"ifChanged\":true,\"name\":\"x\"}").status());
    assertEquals(400, host.post(path, "{\"ifChanged\":true,\"description\":\"x\"}").status());
    assertEquals(404, host.post("/sandboxes/none/snapshots", "{\"ifChanged\":true}").status());
  }

  @Test
  void takesAndDeletesSnapshots() throws Exception {
    String id = host.sandbox();
    Answer made = host.post("/sandboxes/" + id + "/snapshots", "{\"name\":\"one\"}");
    assertEquals(201, made.status());
    assertEquals("one", made.json().path("names").path(0).asText());
    assertEquals(1.25, made.json().path("capture").path("pauseMs").asDouble());
    assertEquals(0.25, made.json().path("capture").path("phasesMs").path("disk").asDouble());
    assertTrue(made.json().path("usedBy").isArray());
    String snapshot = made.json().path("snapshotID").asText();
    assertEquals(
        201,
        host.post("/sandboxes/" + id + "/snapshots", "{\"memoryMode\":\"incremental\"}").status());
    assertEquals(NewSnapshot.named(id, null).by("incremental"), host.engine.snapshots.last);
    assertEquals(201, host.post("/sandboxes/" + id + "/snapshots", "{\"verify\":true}").status());
    assertEquals(NewSnapshot.named(id, null).verified(), host.engine.snapshots.last);
    JsonNode capture = made.json().path("capture");
    assertEquals(0.25, capture.path("pausePhasesMs").path("stop").asDouble());
    assertEquals("base-gone", capture.path("passedOver").path(0).path("cause").asText());
    assertEquals(2, capture.path("precopyRounds").asInt());
    assertEquals("in-place", capture.path("replaced").path("memoryVolume").asText());
    host.post("/sandboxes/" + id + "/snapshots", "{\"replaces\":\"snap0\"}");
    assertEquals("snap0", Objects.requireNonNull(host.engine.snapshots.last).replaces());
    String both = "{\"replaces\":\"snap0\",\"ifChanged\":true}";
    assertEquals(400, host.post("/sandboxes/" + id + "/snapshots", both).status());
    Answer second = host.post("/sandboxes/" + id + "/snapshots", "{\"name\":\"one:v2\"}");
    assertEquals(201, second.status());
    assertEquals("one", second.json().path("names").path(0).asText());
    assertEquals("v2", second.json().path("tags").path(0).asText());
    assertEquals(5, host.get("/snapshots?sandboxID=" + id).json().size());
    assertEquals(0, host.get("/snapshots?sandboxID=other").json().size());
    assertEquals(2, host.get("/snapshots?name=one").json().size());
    assertEquals(1, host.get("/snapshots?name=one:default").json().size());
    assertEquals(second.json(), host.get("/snapshots?name=one:v2").json().path(0));
    assertEquals(0, host.get("/snapshots?name=one:v3").json().size());
    assertEquals(1, host.get("/snapshots?name=" + snapshot).json().size());
    assertEquals(second.json(), host.get("/snapshots/one:v2").json());
    assertEquals(404, host.get("/snapshots/one:v3").status());
    assertEquals(id, host.get("/snapshots/one").json().path("originSandboxID").asText());

    Answer rolled = host.post("/sandboxes/" + id + "/rollback", "{\"snapshotID\":\"one\"}");
    assertEquals(200, rolled.status());
    assertEquals("READY", rolled.json().path("status").asText());
    assertEquals(snapshot, rolled.json().path("snapshotID").asText());
    assertEquals(12.346, rolled.json().path("totalMs").asDouble());
    Answer missing = host.post("/sandboxes/" + id + "/rollback", "{\"snapshotID\":\"nope\"}");
    assertEquals(404, missing.status());
    assertTrue(missing.json().path("message").asText().contains("not found"));

    Answer forked = host.post("/snapshots/one/fork", "{\"memoryMB\":128}");
    assertEquals(201, forked.status());
    assertEquals(snapshot, forked.json().path("templateID").asText());
    assertEquals(201, host.post("/snapshots/one/fork", "{\"diskSizeMB\":128}").status());
    assertEquals(128L << 20, Objects.requireNonNull(host.engine.sandboxes.last).diskBytes());
    assertEquals(400, host.post("/snapshots/one/fork", "{\"diskSizeMB\":1}").status());

    assertEquals(204, host.delete("/templates/one%3Adefault").status());
    assertEquals(404, host.get("/snapshots/one").status());
    assertEquals(204, host.delete("/templates/one").status());
    assertEquals(404, host.delete("/templates/one").json().path("code").asInt());
    host.post("/sandboxes/" + id + "/snapshots", "{\"name\":\"used\"}");
    assertEquals(409, host.delete("/snapshots/used?strict=true").status());
    assertEquals(204, host.delete("/snapshots/used").status());
    Answer slash = host.delete("/templates/team%2Fname%3Atag");
    assertEquals(404, slash.json().path("code").asInt());
    assertTrue(slash.json().path("message").asText().contains("team/name:tag"));
  }

  @Test
  void clonesAndForks() throws Exception {
    String id = host.sandbox();
    Answer cloned = host.post("/sandboxes/" + id + "/clone", "{\"count\":3}");
    assertEquals(201, cloned.status());
    assertEquals(3, cloned.json().path("sandboxes").size());
    assertEquals(id, cloned.json().path("sandboxes").path(0).path("parentID").asText());
    assertEquals("full", cloned.json().path("capture").path("mode").asText());
    Answer forked = host.post("/sandboxes/" + id + "/fork", "{\"count\":2}");
    assertEquals(201, forked.status());
    assertTrue(forked.json().path(0).path("sandbox").has("sandboxID"));
    assertFalse(forked.json().path(0).has("error"));
    assertEquals(503, forked.json().path(1).path("error").path("code").asInt());
    assertNotNull(host.engine.sandboxes.lastClone);
    assertEquals(Duration.ofSeconds(15), host.engine.sandboxes.lastClone.timeout());
    assertNull(host.engine.sandboxes.lastClone.concurrency());
  }
}
