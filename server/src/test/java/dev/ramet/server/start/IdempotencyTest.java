// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.server.settings.TestHost;
import dev.ramet.server.settings.TestHost.Answer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that a request with an idempotency key takes effect once. */
class IdempotencyTest {
  private static final String BASE = "{\"templateID\":\"base\"}";

  @TempDir Path data;
  private TestHost host;

  @BeforeEach
  void start() {
    host = open();
  }

  @AfterEach
  void close() {
    host.close();
  }

  private TestHost open() {
    return new TestHost(Map.of("ramet.data-root", data.toString()));
  }

  private Answer post(String path, String body, String key) throws Exception {
    return host.send("POST", path, body, "Idempotency-Key", key);
  }

  @Test
  void theSameRequestIsAnsweredTheSameAndDoneOnce() throws Exception {
    Answer first = post("/sandboxes", BASE, "k1");
    Answer second = post("/sandboxes", BASE, "\"k1\"");
    assertEquals(201, first.status());
    assertEquals(201, second.status());
    assertEquals(first.response().body(), second.response().body());
    assertEquals(1, host.engine.sandboxes.byId.size());
    Answer other = post("/sandboxes", BASE, "k2");
    assertNotEquals(first.json().path("sandboxID"), other.json().path("sandboxID"));
    assertEquals(2, host.engine.sandboxes.byId.size());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\u0001',
      value = {
        "/v2/sandboxes | {\"templateID\":\"base\",\"metadata\":{\"a\":\"é\"}}",
        "/sandboxes/ID/snapshots | {\"name\":\"one\"}",
        "/sandboxes/ID/snapshots?wait=false | {}",
        "/sandboxes/ID/clone | {\"count\":3}",
        "/sandboxes/ID/fork | {\"count\":2}",
        "/sandboxes/ID/connect | {}",
        "/snapshots/snap1/fork | {}",
        "/templates | {\"recipe\":\"base\",\"name\":\"t\"}",
      })
  void holdsForEveryCallThatMakesSomething(String path, String body) throws Exception {
    String id = host.sandbox();
    host.post("/sandboxes/" + id + "/snapshots", "{}");
    String route = path.replace("ID", id);
    Answer first = post(route, body, "key");
    assertTrue(first.status() < 300, first.response().body());
    int sandboxes = host.engine.sandboxes.byId.size();
    int snapshots = host.engine.snapshots.byId.size();
    Answer again = post(route, body, "key");
    assertEquals(first.status(), again.status());
    assertEquals(first.response().body(), again.response().body());
    assertEquals(sandboxes, host.engine.sandboxes.byId.size());
    assertEquals(snapshots, host.engine.snapshots.byId.size());
    Answer other = post(route, "{\"x\":1}", "key");
    assertTrue(other.status() == 422 || other.status() == 400, other.response().body());
  }

  @Test
  void anotherRequestWithTheSameKeyIsRefused() throws Exception {
    post("/sandboxes", BASE, "k");
    Answer other = post("/sandboxes", "{\"templateID\":\"base\",\"timeout\":7}", "k");
    assertEquals(422, other.status());
    assertEquals(422, other.json().path("code").asInt());
    assertEquals("KEY_REUSED", other.json().path("error").asText());
    assertEquals(422, post("/v2/sandboxes", BASE, "k").status());
    assertEquals(1, host.engine.sandboxes.byId.size());
  }

  @Test
  void outlivesTheHost() throws Exception {
    Answer first = post("/sandboxes", BASE, "k");
    host.close();
    host = open();
    Answer again = post("/sandboxes", BASE, "k");
    assertEquals(201, again.status());
    assertEquals(first.response().body(), again.response().body());
    assertTrue(host.engine.sandboxes.byId.isEmpty(), "nothing was done again");
    assertEquals(422, post("/sandboxes", "{\"templateID\":\"base\",\"timeout\":7}", "k").status());
  }

  @Test
  void whileTheFirstIsUnderWayTheSecondIsToldToComeAgain() throws Exception {
    String body = "{\"recipe\":\"slow\"}";
    CompletableFuture<Answer> first =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return post("/templates", body, "k");
              } catch (Exception e) {
                throw new IllegalStateException(e);
              }
            });
    Answer second = host.get("/operations?state=running");
    for (int i = 0; i < 500 && second.json().isEmpty(); i++) {
      Thread.sleep(10);
      second = host.get("/operations?state=running");
    }
    Answer busy = post("/templates", body, "k");
    assertEquals(409, busy.status(), busy.response().body());
    assertEquals("1", busy.header("retry-after"));
    assertEquals("CONFLICT", busy.json().path("error").asText());
    assertEquals(422, post("/templates", "{\"recipe\":\"base\"}", "k").status());
    host.engine.templates.slow.countDown();
    assertEquals(201, first.get(20, TimeUnit.SECONDS).status());
    assertEquals(first.get().response().body(), post("/templates", body, "k").response().body());
  }

  @Test
  void ofManyAtOnceOneIsDone() throws Exception {
    List<Answer> answers =
        Stream.generate(() -> 0)
            .limit(20)
            .map(
                i ->
                    CompletableFuture.supplyAsync(
                        () -> {
                          try {
                            return post("/sandboxes", BASE, "k");
                          } catch (Exception e) {
                            throw new IllegalStateException(e);
                          }
                        }))
            .toList()
            .stream()
            .map(CompletableFuture::join)
            .toList();
    assertEquals(1, host.engine.sandboxes.byId.size());
    assertTrue(
        answers.stream().allMatch(a -> a.status() == 201 || a.status() == 409), answers.toString());
    assertTrue(answers.stream().anyMatch(a -> a.status() == 201));
  }

  @Test
  void whatFailedMayBeTriedAgain() throws Exception {
    assertEquals(404, post("/sandboxes", "{\"templateID\":\"later\"}", "k").status());
    host.engine.templates.add("later", 1, 1 << 20, null);
    assertEquals(201, post("/sandboxes", "{\"templateID\":\"later\"}", "k").status());
  }

  @Test
  void whatWasMadeWhenTheHostWasKilledIsFound() throws Exception {
    // The host ends after the machine exists and before its response is stored.
    host.engine.sandboxes.afterMade = () -> killed();
    assertEquals(500, post("/sandboxes", BASE, "k").status());
    host.engine.sandboxes.afterMade = () -> {};
    String made = host.engine.sandboxes.byId.keySet().iterator().next();
    restoreRecord();
    Answer again = post("/sandboxes", BASE, "k");
    assertEquals(201, again.status());
    assertEquals(made, again.json().path("sandboxID").asText());
    assertEquals(1, host.engine.sandboxes.byId.size());
    // If it ends before the machine exists, the machine is created.
    host.engine.sandboxes.byId.clear();
    host.engine.sandboxes.afterMade = () -> killed();
    assertEquals(500, post("/sandboxes", BASE, "k2").status());
    host.engine.sandboxes.afterMade = () -> {};
    restoreRecord();
    host.engine.sandboxes.byId.clear();
    assertEquals(201, post("/sandboxes", BASE, "k2").status());
    assertEquals(1, host.engine.sandboxes.byId.size());
  }

  private byte[] record = new byte[0];
  private Path recordFile = Path.of("");

  /** Saves the files on disk, which the next host would find. */
  private void killed() {
    try (Stream<Path> files = Files.walk(data.resolve("requests"))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        byte[] bytes = Files.readAllBytes(file);
        if (!new String(bytes, java.nio.charset.StandardCharsets.UTF_8).contains("\"status\"")) {
          record = bytes;
          recordFile = file;
        }
      }
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
    throw new IllegalStateException("killed");
  }

  private void restoreRecord() throws Exception {
    Map<String, dev.ramet.engine.sandboxes.Sandbox> kept = Map.copyOf(host.engine.sandboxes.byId);
    host.close();
    Files.write(recordFile, record);
    host = open();
    host.engine.sandboxes.byId.putAll(kept);
  }

  @Test
  void answersAreTheOwnersAloneAndForgottenAfterADay() throws Exception {
    post("/sandboxes", BASE, "k");
    Path file;
    try (Stream<Path> files = Files.walk(data.resolve("requests"))) {
      file = files.filter(Files::isRegularFile).findFirst().orElseThrow();
    }
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
    Files.setLastModifiedTime(
        file, FileTime.from(Instant.now().minus(Duration.ofHours(24).plusMinutes(1))));
    post("/sandboxes", BASE, "k");
    assertEquals(2, host.engine.sandboxes.byId.size());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "a b", "\"", "a\tb"})
  void keysThatAreNone(String key) throws Exception {
    Answer answer =
        host.send("POST", "/sandboxes", BASE, "Idempotency-Key", key.isEmpty() ? "\"\"" : key);
    if (key.equals("\"")) {
      assertEquals(201, answer.status());
    } else {
      assertEquals(400, answer.status(), answer.response().body());
      assertTrue(host.engine.sandboxes.byId.isEmpty());
    }
    assertEquals(
        400, host.send("POST", "/sandboxes", BASE, "Idempotency-Key", "x".repeat(256)).status());
  }
}
