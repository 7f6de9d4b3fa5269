// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ramet.engine.BuildStep;
import dev.ramet.engine.DerivedTemplate;
import dev.ramet.server.TestHost.Answer;
import dev.ramet.server.access.KeyFile;
import dev.ramet.server.access.Scope;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Template builds as clients of the E2B protocol ask for them. */
class TemplateBuildsTest {
  private static final String HASH = "0123456789abcdef".repeat(4);
  private static final String OTHER = "f".repeat(64);
  private static final int ROOM = 8 << 20;

  @TempDir Path data;
  private TestHost host;

  @BeforeEach
  void open() {
    host = open(Map.of());
  }

  private TestHost open(Map<String, Object> more) {
    Map<String, Object> all = new java.util.HashMap<>(more);
    all.put("ramet.data-root", data.toString());
    all.put("ramet.upload-bytes", Integer.toString(ROOM));
    return new TestHost(all);
  }

  @AfterEach
  void close() {
    host.close();
  }

  private Announced announce(String name) throws Exception {
    Answer answer = host.post("/v3/templates", "{\"name\":\"" + name + "\",\"cpuCount\":2}");
    assertEquals(202, answer.status(), answer.response().body());
    assertEquals(name, answer.json().path("names").path(0).asText());
    assertTrue(answer.json().path("public").asBoolean());
    return Announced.in(answer);
  }

  private HttpResponse<String> put(String url, byte[] content) throws Exception {
    return host.client.send(
        HttpRequest.newBuilder(URI.create(url)).PUT(BodyPublishers.ofByteArray(content)).build(),
        BodyHandlers.ofString());
  }

  private JsonNode link(Announced build, String hash) throws Exception {
    Answer answer = host.get(build.files(hash));
    assertEquals(201, answer.status(), answer.response().body());
    return answer.json();
  }

  private List<Path> uploads() throws IOException {
    Path root = data.resolve("uploads");
    if (!Files.exists(root)) {
      return List.of();
    }
    try (Stream<Path> all = Files.walk(root)) {
      return all.filter(Files::isRegularFile).toList();
    }
  }

  @Test
  void stepsAreDoneAndTold() throws Exception {
    Announced build = announce("made");
    assertEquals("waiting", host.get(build.status()).json().path("status").asText());
    Answer started =
        host.post(
            build.start(),
            """
            {"fromTemplate":"base","force":false,"startCmd":"serve","readyCmd":"ready","steps":[
              {"type":"RUN","args":["echo a"],"force":false},
              {"type":"RUN","args":["echo b","root"]},
              {"type":"ENV","args":["A","1","B","$A"]},
              {"type":"WORKDIR","args":["/srv"]},
              {"type":"USER","args":["user"]}]}
            """);
    assertEquals(202, started.status(), started.response().body());
    assertEquals("0", started.header("content-length"));
    JsonNode status = build.end(host);
    assertEquals("ready", status.path("status").asText(), status.toString());
    DerivedTemplate asked = host.engine.templates.derived.get(0);
    assertEquals(
        new DerivedTemplate(
            build.template(),
            "made",
            List.of("default"),
            "base",
            2,
            null,
            List.of(
                new BuildStep.Run("echo a", null),
                new BuildStep.Run("echo b", "root"),
                new BuildStep.Environment(Map.of("A", "1", "B", "$A")),
                new BuildStep.Workdir("/srv"),
                new BuildStep.User("user")),
            "serve",
            "ready"),
        asked);
    JsonNode entries = status.path("logEntries");
    assertEquals("said by echo a", entries.path(2).path("message").asText(), entries.toString());
    assertEquals("1", entries.path(2).path("step").asText());
    assertEquals("info", entries.path(2).path("level").asText());
    Instant.parse(entries.path(2).path("timestamp").asText());
    int all = entries.size();
    JsonNode rest = host.get(build.status() + "?logsOffset=" + (all - 1)).json();
    assertEquals(entries.path(all - 1), rest.path("logEntries").path(0));
    assertEquals(
        0, host.get(build.status() + "?logsOffset=" + all).json().path("logEntries").size());
    assertEquals(200, host.get("/templates/aliases/made").status());
    assertEquals(
        build.template(), host.get("/templates/aliases/made").json().path("templateID").asText());
    assertEquals("default", host.get("/templates/made/tags").json().path(0).path("tag").asText());
    assertEquals(409, host.post(build.start(), "{\"fromTemplate\":\"base\"}").status());
  }

  @Test
  void aStepThatFailsIsNamed() throws Exception {
    Announced build = announce("made");
    host.post(
        build.start(),
        "{\"fromTemplate\":\"base\",\"steps\":[{\"type\":\"RUN\",\"args\":[\"true\"]},"
            + "{\"type\":\"RUN\",\"args\":[\"false\"]}]}");
    JsonNode status = build.end(host);
    assertEquals("error", status.path("status").asText());
    assertEquals("exit status 1", status.path("reason").path("message").asText());
    assertEquals("2", status.path("reason").path("step").asText());
    assertEquals(
        "said by false", status.path("reason").path("logEntries").path(1).path("message").asText());
    assertEquals(404, host.get("/templates/aliases/made").status());
    Announced lost = announce("lost");
    host.post(lost.start(), "{\"fromTemplate\":\"none\"}");
    assertEquals("base", lost.end(host).path("reason").path("step").asText());
  }

  @Test
  void aBuildCanBeCancelled() throws Exception {
    Announced build = announce("made");
    host.post(
        build.start(),
        "{\"fromTemplate\":\"base\",\"steps\":[{\"type\":\"RUN\",\"args\":[\"sleep\"]}]}");
    JsonNode running = host.get("/operations?kind=template.derive").json().path(0);
    assertTrue(running.path("cancellable").asBoolean(), running.toString());
    assertFalse(running.path("step").asText().contains("sleep"), running.toString());
    assertEquals(202, host.delete("/operations/" + running.path("operationID").asText()).status());
    JsonNode status = build.end(host);
    assertEquals("error", status.path("status").asText());
    assertTrue(status.path("reason").path("message").asText().contains("cancelled"));
  }

  @Test
  void uploadsGoToTheDiskAndToTheStep() throws Exception {
    Announced build = announce("made");
    JsonNode link = link(build, HASH);
    assertFalse(link.path("present").asBoolean());
    String url = link.path("url").asText();
    assertTrue(url.startsWith("http://127.0.0.1:" + host.port() + "/uploads/" + HASH + "?"), url);
    byte[] large = new byte[3 << 20];
    Arrays.fill(large, (byte) 7);
    HttpResponse<String> answer = put(url, large);
    assertEquals(200, answer.statusCode(), answer.body());
    assertTrue(link(build, HASH).path("present").asBoolean());
    String step =
        "{\"type\":\"COPY\",\"args\":[\"a\",\"/b\",\"user\",\"0755\"],\"filesHash\":\"%s\"}";
    String body = "{\"fromTemplate\":\"base\",\"steps\":[" + step + "]}";
    Answer missing = host.post(build.start(), body.formatted(OTHER));
    assertEquals(400, missing.status());
    assertTrue(missing.json().path("message").asText().startsWith("steps[0].filesHash"));
    assertEquals(202, host.post(build.start(), body.formatted(HASH)).status());
    assertEquals("ready", build.end(host).path("status").asText());
    BuildStep.Copy copy = (BuildStep.Copy) host.engine.templates.derived.get(0).steps().get(0);
    assertEquals(
        List.of("a", "/b", "user", "0755"),
        List.of(copy.source(), copy.destination(), "" + copy.owner(), "" + copy.mode()));
    assertEquals(large.length, Files.size(copy.archive()));
  }

  @Test
  void theAddressToUploadToIsTheOneThatTheClientKnows() throws Exception {
    Announced build = announce("made");
    Answer answer = host.send("GET", build.files(HASH), null, "X-Forwarded-Proto", "https");
    assertTrue(answer.json().path("url").asText().startsWith("https://127.0.0.1:"));
  }

  @Test
  void onlyWhatTheHostAllowedIsTakenIn() throws Exception {
    Announced build = announce("made");
    String url = link(build, HASH).path("url").asText();
    byte[] content = {1, 2, 3};
    assertEquals(403, put(url.replace(HASH, OTHER), content).statusCode());
    assertEquals(403, put(url.substring(0, url.length() - 1) + "x", content).statusCode());
    assertEquals(403, put(url.substring(0, url.indexOf('?')), content).statusCode());
    assertEquals(400, put(url.replace(HASH, "..%2f" + HASH), content).statusCode());
    assertEquals(400, host.get(build.files("..%2F..%2Fx")).status());
    assertEquals(404, host.get("/templates/base/files/" + HASH).status());
    assertEquals(List.of(), uploads());
    // A large body of any other request is refused as ever.
    String large = "x".repeat(2 << 20);
    assertEquals(413, host.post("/v3/templates", "{\"name\":\"" + large + "\"}").status());
    assertEquals(200, put(url, content).statusCode());
    assertEquals(413, host.post("/v3/templates", "{\"name\":\"" + large + "\"}").status());
  }

  @Test
  void uploadsHaveBoundedRoom() throws Exception {
    Announced build = announce("made");
    String first = link(build, HASH).path("url").asText();
    String second = link(build, OTHER).path("url").asText();
    assertEquals(413, put(first, new byte[ROOM + 1]).statusCode());
    assertEquals(List.of(), uploads());
    assertEquals(200, put(first, new byte[ROOM / 2 + 1]).statusCode());
    Files.setLastModifiedTime(
        uploads().get(0), FileTime.from(Instant.now().minus(Duration.ofMinutes(5))));
    // The older one gives way.
    assertEquals(200, put(second, new byte[ROOM / 2 + 1]).statusCode());
    assertEquals(1, uploads().size());
    assertTrue(uploads().get(0).endsWith(OTHER));
    // What nobody used for a day goes.
    Files.setLastModifiedTime(
        uploads().get(0), FileTime.from(Instant.now().minus(Duration.ofHours(25))));
    assertEquals(200, put(first, new byte[1]).statusCode());
    assertEquals(1, uploads().size());
    assertTrue(uploads().get(0).endsWith(HASH));
  }

  @Test
  void whatAKilledHostHadTakenInHalfwayIsRemoved() throws Exception {
    Path partial = data.resolve("uploads/local/.new-7");
    Files.createDirectories(partial.getParent());
    Files.write(partial, new byte[100]);
    Announced build = announce("made");
    assertEquals(200, put(link(build, HASH).path("url").asText(), new byte[1]).statusCode());
    assertFalse(Files.exists(partial));
  }

  @ParameterizedTest
  @EnumSource(HttpClient.Version.class)
  void uploadsComeByTlsAsWell(HttpClient.Version version, @TempDir Path root) throws Exception {
    try (TlsHost tls = new TlsHost(root, Map.of())) {
      HttpClient client = tls.client(version);
      HttpResponse<String> announced =
          tls.send(
              client,
              tls.request("/v3/templates")
                  .header("Content-Type", "application/json")
                  .POST(BodyPublishers.ofString("{\"name\":\"made\"}")));
      String id = new ObjectMapper().readTree(announced.body()).path("templateID").asText();
      HttpResponse<String> link =
          tls.send(client, tls.request("/templates/" + id + "/files/" + HASH));
      String url = new ObjectMapper().readTree(link.body()).path("url").asText();
      String own = "https://localhost:" + tls.host.port();
      assertTrue(url.startsWith(own + "/uploads/"), url);
      String path = url.substring(own.length());
      byte[] large = new byte[3 << 20];
      HttpResponse<String> answer =
          tls.send(client, tls.request(path).PUT(BodyPublishers.ofByteArray(large)));
      assertEquals(200, answer.statusCode(), answer.body());
      assertEquals(large.length, Files.size(root.resolve("uploads/local/" + HASH)));
      HttpResponse<String> refused =
          tls.send(
              client,
              tls.request("/v3/templates")
                  .header("Content-Type", "application/json")
                  .POST(BodyPublishers.ofByteArray(large)));
      assertEquals(413, refused.statusCode());
    }
  }

  @Test
  void onlyAdministratorsBuildAndNobodyUploadsWithoutLeave() throws Exception {
    try (TestHost keyed = open(Map.of("ramet.auth", "ON"))) {
      KeyFile keys = new KeyFile(data.resolve(KeyFile.NAME));
      String user = keys.create("user", Scope.USER).key();
      String admin = keys.create("admin", Scope.ADMIN).key();
      String body = "{\"name\":\"made\"}";
      assertEquals(403, keyed.send("POST", "/v3/templates", body, "X-API-Key", user).status());
      Answer announced = keyed.send("POST", "/v3/templates", body, "X-API-Key", admin);
      Announced build =
          new Announced(
              announced.json().path("templateID").asText(),
              announced.json().path("buildID").asText());
      for (String path : List.of(build.files(HASH), build.status())) {
        assertEquals(401, keyed.get(path).status());
        assertEquals(403, keyed.send("GET", path, null, "X-API-Key", user).status(), path);
      }
      assertEquals(403, keyed.send("POST", build.start(), "{}", "X-API-Key", user).status());
      String tags = "{\"target\":\"base\",\"name\":\"base\",\"tags\":[\"v1\"]}";
      for (String method : List.of("POST", "DELETE")) {
        assertEquals(
            403, keyed.send(method, "/templates/tags", tags, "X-API-Key", user).status(), method);
      }
      assertEquals(
          200, keyed.send("GET", "/templates/base/tags", null, "X-API-Key", user).status());
      String url =
          keyed
              .send("GET", build.files(HASH), null, "X-API-Key", admin)
              .json()
              .path("url")
              .asText();
      assertEquals(403, put(url.substring(0, url.indexOf('?')), new byte[1]).statusCode());
      assertEquals(200, put(url, new byte[1]).statusCode());
      assertEquals(1, uploads().size());
      String audit = Files.readString(data.resolve("audit.log"));
      assertTrue(audit.contains("\"path\":\"/uploads/" + HASH + "\""), audit);
      assertFalse(audit.contains("token"), audit);
      // What one key calls its files says nothing to another.
      String other = keys.create("other", Scope.ADMIN).key();
      assertFalse(
          keyed
              .send("GET", build.files(HASH), null, "X-API-Key", other)
              .json()
              .path("present")
              .asBoolean(true));
    }
  }

  @Test
  void imagesAreTemplatesOrRefused() throws Exception {
    host.engine.templates.add("python-3.12", 1, 512L << 20, null);
    host.engine.templates.add("node:22", 1, 512L << 20, null);
    for (String image : List.of("e2bdev/base", "base", "python:3.12", "node:22")) {
      Announced build = announce("made");
      String body = "{\"fromImage\":\"" + image + "\"}";
      assertEquals(202, host.post(build.start(), body).status(), image);
      assertEquals("ready", build.end(host).path("status").asText());
    }
    Answer answer =
        host.post(announce("made").start(), "{\"fromImage\":\"registry.example.org/a/b:1\"}");
    assertEquals(400, answer.status());
    assertTrue(answer.json().path("message").asText().contains("ramet template build --oci"));
  }

  @Test
  void anAnnouncementIsRepeatable() throws Exception {
    String body = "{\"name\":\"made\"}";
    Answer first = host.send("POST", "/v3/templates", body, "Idempotency-Key", "k");
    Answer second = host.send("POST", "/v3/templates", body, "Idempotency-Key", "k");
    assertEquals(202, second.status());
    assertEquals(first.json(), second.json());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\u0001',
      value = {
        "name | {}",
        "name | {\"name\":\"a/b\"}",
        "name | {\"name\":\"a:\"}",
        "name | {\"name\":\":v1\"}",
        "name | {\"name\":\"a:v1:v2\"}",
        "name | {\"name\":\"a:..\"}",
        "tags[0] | {\"name\":\"a\",\"tags\":[\"v 1\"]}",
        "tags[1] | {\"name\":\"a\",\"tags\":[\"v1\",null]}",
        "tags | {\"name\":\"a\",\"tags\":\"v1\"}",
        "cpuCount | {\"name\":\"a\",\"cpuCount\":0}",
        "memoryMB | {\"name\":\"a\",\"memoryMB\":1}",
        "minFreeDiskMb | {\"name\":\"a\",\"minFreeDiskMb\":100}",
      })
  void fieldsOfAnAnnouncement(String field, String body) throws Exception {
    Answer answer = host.post("/v3/templates", body);
    assertEquals(400, answer.status(), answer.response().body());
    assertTrue(answer.json().path("message").asText().startsWith(field), answer.response().body());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\u0001',
      value = {
        "fromTemplate | {}",
        "fromImage | {\"fromTemplate\":\"base\",\"fromImage\":\"base\"}",
        "steps | {\"fromTemplate\":\"base\",\"steps\":{}}",
        "steps[0] | {\"fromTemplate\":\"base\",\"steps\":[null]}",
        "steps[0].args | {\"fromTemplate\":\"base\",\"steps\":[{\"type\":\"RUN\"}]}",
        "steps[0].type | {\"fromTemplate\":\"base\",\"steps\":[{\"args\":[]}]}",
        "steps[0].type | {\"fromTemplate\":\"base\",\"steps\":[{\"type\":\"ADD\",\"args\":[]}]}",
        "steps[0].args | {\"fromTemplate\":\"base\",\"steps\":[{\"type\":\"RUN\",\"args\":[]}]}",
        "steps[0].args[0] | {\"fromTemplate\":\"base\",\"steps\":[{\"type\":\"RUN\",\"args\":[\"\"]}]}",
        "steps[0].args[0] | {\"fromTemplate\":\"base\",\"steps\":[{\"type\":\"RUN\",\"args\":[null]}]}",
        "steps[0].args[0] | {\"fromTemplate\":\"base\",\"steps\":[{\"type\":\"RUN\",\"args\":[\"\\u0000\"]}]}",
        "steps[0].args[1] | {\"fromTemplate\":\"base\",\"steps\":[{\"type\":\"RUN\",\"args\":[\"a\",\"b\\nc\"]}]}",
        "steps[0].args | {\"fromTemplate\":\"base\",\"steps\":[{\"type\":\"ENV\",\"args\":[\"A\"]}]}",
        "steps[0].args | {\"fromTemplate\":\"base\",\"steps\":[{\"type\":\"ENV\",\"args\":[\"A=\",\"1\"]}]}",
        "steps[0].filesHash | {\"fromTemplate\":\"base\",\"steps\":[{\"type\":\"COPY\",\"args\":[\"a\",\"b\"]}]}",
        "steps[0].filesHash | {\"fromTemplate\":\"base\",\"steps\":[{\"type\":\"COPY\",\"args\":[\"a\",\"b\"],\"filesHash\":\"../x\"}]}",
        "steps[0].args[3] | {\"fromTemplate\":\"base\",\"steps\":[{\"type\":\"COPY\",\"args\":[\"a\",\"b\",\"\",\"rwx\"],\"filesHash\":\"x\"}]}",
        "startCmd | {\"fromTemplate\":\"base\",\"startCmd\":\"\\u0000\"}",
        "readyCmd | {\"fromTemplate\":\"base\",\"readyCmd\":7}",
      })
  void fieldsOfABuild(String field, String body) throws Exception {
    Announced build = announce("made");
    Answer answer = host.post(build.start(), body);
    assertEquals(400, answer.status(), answer.response().body());
    assertTrue(answer.json().path("message").asText().startsWith(field), answer.response().body());
    assertEquals("waiting", host.get(build.status()).json().path("status").asText());
    assertEquals(List.of(), host.engine.templates.derived);
  }
}
