// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ramet.engine.templates.BuildStep;
import dev.ramet.keys.KeyFile;
import dev.ramet.keys.Scope;
import dev.ramet.server.settings.TestHost;
import dev.ramet.server.settings.TestHost.Answer;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests uploads of the files that template builds copy, in the E2B protocol. */
class TemplateUploadsTest {
  private static final String HASH = "0123456789abcdef".repeat(4);
  private static final String OTHER = "f".repeat(64);
  private static final int ROOM = 8 << 20;

  private final Path data;
  @AutoClose private final TestHost host;

  TemplateUploadsTest(@TempDir Path data) {
    this.data = data;
    host = open(data, Map.of());
  }

  private static TestHost open(Path data, Map<String, Object> more) {
    Map<String, Object> all = new HashMap<>(more);
    all.put("ramet.data-root", data.toString());
    all.put("ramet.upload-bytes", Integer.toString(ROOM));
    return new TestHost(all);
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
  void uploadsGoToTheDiskAndToTheStep() throws Exception {
    Announced build = Announced.on(host, "made");
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
    Announced build = Announced.on(host, "made");
    Answer answer = host.send("GET", build.files(HASH), null, "X-Forwarded-Proto", "https");
    assertTrue(answer.json().path("url").asText().startsWith("https://127.0.0.1:"));
  }

  @Test
  void onlyWhatTheHostAllowedIsTakenIn() throws Exception {
    Announced build = Announced.on(host, "made");
    String url = link(build, HASH).path("url").asText();
    byte[] content = {1, 2, 3};
    assertEquals(403, put(url.replace(HASH, OTHER), content).statusCode());
    assertEquals(403, put(url.substring(0, url.length() - 1) + "x", content).statusCode());
    assertEquals(403, put(url.substring(0, url.indexOf('?')), content).statusCode());
    assertEquals(400, put(url.replace(HASH, "..%2f" + HASH), content).statusCode());
    assertEquals(400, host.get(build.files("..%2F..%2Fx")).status());
    assertEquals(404, host.get("/templates/base/files/" + HASH).status());
    assertEquals(List.of(), uploads());
    // A large body of any other request is still refused.
    String large = "x".repeat(2 << 20);
    assertEquals(413, host.post("/v3/templates", "{\"name\":\"" + large + "\"}").status());
    assertEquals(200, put(url, content).statusCode());
    assertEquals(413, host.post("/v3/templates", "{\"name\":\"" + large + "\"}").status());
  }

  @Test
  void uploadsHaveBoundedRoom() throws Exception {
    Announced build = Announced.on(host, "made");
    String first = link(build, HASH).path("url").asText();
    String second = link(build, OTHER).path("url").asText();
    assertEquals(413, put(first, new byte[ROOM + 1]).statusCode());
    assertEquals(List.of(), uploads());
    assertEquals(200, put(first, new byte[ROOM / 2 + 1]).statusCode());
    Files.setLastModifiedTime(
        uploads().get(0), FileTime.from(Instant.now().minus(Duration.ofMinutes(5))));
    // The older upload is deleted.
    assertEquals(200, put(second, new byte[ROOM / 2 + 1]).statusCode());
    assertEquals(1, uploads().size());
    assertTrue(uploads().get(0).endsWith(OTHER));
    // An upload that was not used for a day is deleted.
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
    Announced build = Announced.on(host, "made");
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
    try (TestHost keyed = open(data, Map.of("ramet.auth", "ON"))) {
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
      // The hashes of one key prove nothing to another.
      String other = keys.create("other", Scope.ADMIN).key();
      assertFalse(
          keyed
              .send("GET", build.files(HASH), null, "X-API-Key", other)
              .json()
              .path("present")
              .asBoolean(true));
    }
  }
}
