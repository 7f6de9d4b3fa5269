// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.server.settings.Guest.Http;
import dev.ramet.server.settings.TestHost;
import dev.ramet.server.settings.TestHost.Answer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests exports and imports, and the directories that they may use. */
@Timeout(900)
class ExchangeTest {
  private static final String LINES = "application/x-ndjson";

  @TempDir Path scratch;

  private static String export(Path directory) {
    return "{\"snapshot\":\"before\",\"directory\":\"" + directory + "\"}";
  }

  private static String load(Path directory) {
    return "{\"directory\":\"" + directory + "\"}";
  }

  @Test
  void theAnswerIsOneObjectOrManyLines() throws Exception {
    try (TestHost host = new TestHost(Map.of())) {
      Answer one = host.post("/storage/export", export(Path.of("/b/x")));
      assertEquals(200, one.status(), one.response().body());
      assertEquals("before", one.json().path("id").asText());
      assertEquals("/b/x", one.json().path("directory").asText());
      assertEquals("snapshot", one.json().path("kind").asText());
      Answer named =
          host.post("/storage/import", "{\"directory\":\"/b/../b/x\",\"name\":\"again\"}");
      assertEquals("again", named.json().path("name").asText(), named.response().body());
      assertEquals("/b/x", named.json().path("directory").asText());

      String since = "{\"snapshot\":\"before\",\"since\":\"older\",\"directory\":\"/b/x\"}";
      Answer increment = host.post("/storage/export", since);
      assertEquals("older", increment.json().path("base").asText(), increment.response().body());

      Answer lines = host.send("POST", "/storage/import", load(Path.of("/b/x")), "Accept", LINES);
      assertEquals(
          List.of(
              "{\"progress\":{\"doneBytes\":0,\"totalBytes\":100}}",
              "{\"progress\":{\"doneBytes\":100,\"totalBytes\":100}}",
              "{\"result\":{\"id\":\"new\",\"kind\":\"snapshot\",\"directory\":\"/b/x\","
                  + "\"files\":6,\"sizeBytes\":100,\"dataBytes\":10}}"),
          lines.response().body().lines().toList());
      Answer refused =
          host.send("POST", "/storage/export", export(Path.of("/b/taken")), "Accept", LINES);
      assertTrue(
          refused.response().body().startsWith("{\"error\":{\"code\":409,"),
          refused.response().body());
      assertEquals(409, host.post("/storage/export", export(Path.of("/b/taken"))).status());

      assertEquals(
          List.of("before", "before", "older", "before", "before"),
          host.engine.snapshots.awaited,
          "one that is being written is waited for");
      Path free = Path.of("/b/x");
      assertEquals(200, host.post("/storage/export?wait=false", export(free)).status());
      assertEquals(5, host.engine.snapshots.awaited.size());
    }
  }

  @Test
  void badRequestsNameTheField() throws Exception {
    try (TestHost host = new TestHost(Map.of())) {
      assertRefused(400, "snapshot", host.post("/storage/export", null));
      assertRefused(400, "directory", host.post("/storage/export", "{\"snapshot\":\"a\"}"));
      assertRefused(400, "directory", host.post("/storage/export", export(Path.of("b"))));
      assertRefused(
          404, "a/b", host.post("/storage/export", "{\"snapshot\":\"a/b\",\"directory\":\"/b\"}"));
      assertRefused(
          404,
          "a/b",
          host.post(
              "/storage/export", "{\"snapshot\":\"a\",\"since\":\"a/b\",\"directory\":\"/b\"}"));
      assertRefused(400, "directory", host.post("/storage/import", null));
      assertRefused(400, "directory", host.post("/storage/import", "{\"directory\":7}"));
      assertRefused(
          400, "name", host.post("/storage/import", "{\"directory\":\"/b\",\"name\":\"..\"}"));
    }
  }

  private static void assertRefused(int status, String part, Answer answer) {
    String body = answer.response().body();
    assertEquals(status, answer.status(), body);
    assertTrue(answer.json().path("message").asText().contains(part), body);
  }

  @Test
  void aClientThatGoesAwayStopsIt() throws Exception {
    try (TestHost host = new TestHost(Map.of())) {
      host.engine.storage.goOn = new CountDownLatch(1);
      String body = export(Path.of("/b/x"));
      try (Http client = Http.connect(host.port())) {
        client.send(
            "POST /storage/export HTTP/1.1\r\nHost: localhost\r\nAccept: application/x-ndjson\r\n"
                + "Content-Type: application/json\r\nContent-Length: "
                + body.length()
                + "\r\n\r\n"
                + body);
        client.needHead();
        String line = client.line();
        while (line != null && !line.contains("progress")) {
          line = client.line(); // the sizes of chunks
        }
        assertNotNull(line, "the answer ended without progress");
        assertNull(host.engine.storage.ended.poll());
      }
      assertEquals("stopped", host.engine.storage.ended.poll(20, TimeUnit.SECONDS));
    }
  }

  private static String images(Path kernel, Path rootfs) {
    return "{\"name\":\"n\",\"kernel\":\"" + kernel + "\",\"rootfs\":\"" + rootfs + "\"}";
  }

  @Test
  void onlyTheDirectoriesThatAreSetMayBeUsed() throws Exception {
    Path inside = scratch.resolve("exchange");
    Files.createDirectories(inside.resolve("deep"));
    Path outside = Files.createDirectory(scratch.resolve("private"));
    Path file = Files.writeString(inside.resolve("file"), "mine");
    Path secret = Files.writeString(outside.resolve("secret"), "not theirs");
    Path link = Files.createSymbolicLink(inside.resolve("link"), outside);
    Path secretLink = Files.createSymbolicLink(inside.resolve("secret"), secret);
    Path dangling = Files.createSymbolicLink(inside.resolve("dangling"), scratch.resolve("no"));
    Path alias = Files.createSymbolicLink(scratch.resolve("alias"), inside);
    // The setting itself may contain a link.
    String setting = scratch.resolve("other") + "," + alias;
    try (TestHost host = new TestHost(Map.of("ramet.exchange-directories", setting))) {
      for (Path good : List.of(inside.resolve("new"), inside.resolve("deep/new"))) {
        Answer answer = host.post("/storage/export", export(good));
        assertEquals(200, answer.status(), answer.response().body());
        assertEquals(good.toString(), answer.json().path("directory").asText());
        assertEquals(200, host.post("/storage/import", load(good)).status());
      }
      Answer aliased = host.post("/storage/export", export(alias.resolve("new")));
      assertEquals(inside.resolve("new").toString(), aliased.json().path("directory").asText());
      assertEquals(201, host.post("/templates/import", images(file, file)).status());
      for (Path bad :
          List.of(
              outside.resolve("new"),
              link.resolve("new"),
              link,
              dangling,
              dangling.resolve("new"),
              secretLink,
              scratch.resolve("exchange-and-more/new"),
              inside.resolve("../private/new"),
              scratch.resolve("other/new"),
              Path.of("/"))) {
        assertForbidden("directory", host.post("/storage/export", export(bad)));
        assertForbidden("directory", host.post("/storage/import", load(bad)));
        assertForbidden("kernel", host.post("/templates/import", images(bad, file)));
        assertForbidden("rootfs", host.post("/templates/import", images(file, bad)));
        assertForbidden(
            "image", host.post("/templates/image", "{\"name\":\"a\",\"image\":\"" + bad + "\"}"));
      }
    }
  }

  private static void assertForbidden(String field, Answer answer) {
    assertRefused(403, field + ": ", answer);
    assertTrue(
        answer.json().path("remedy").asText().contains("ramet.exchange-directories"),
        answer.response().body());
  }

  @Test
  void aSettingWithoutDirectoriesAllowsNone() throws Exception {
    try (TestHost host = new TestHost(Map.of("ramet.exchange-directories", ""))) {
      assertForbidden("directory", host.post("/storage/export", export(scratch.resolve("new"))));
    }
  }

  @Test
  void aDirectoryThatIsNotAbsoluteStopsTheStart() {
    assertThrows(
        RuntimeException.class,
        () -> new TestHost(Map.of("ramet.exchange-directories", "exchange")).close());
  }
}
