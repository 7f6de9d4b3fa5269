// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.engine.volumes.VolumeMount;
import dev.ramet.server.settings.TestHost;
import dev.ramet.server.settings.TestHost.Answer;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class VolumesApiTest {
  private final TestHost host = new TestHost(Map.of());
  private String volume = "";
  private String token = "";

  @BeforeEach
  void make() throws Exception {
    Answer made = host.post("/volumes", "{\"name\":\"data\"}");
    assertEquals(201, made.status());
    volume = made.json().path("volumeID").asText();
    token = made.json().path("token").asText();
  }

  @AfterEach
  void close() {
    host.close();
  }

  private Answer content(String method, String path, String body) throws Exception {
    return host.send(
        method,
        "/volumecontent/" + volume + path,
        method.equals("GET") || method.equals("DELETE") ? null : body,
        "Authorization",
        "Bearer " + token);
  }

  @Test
  void makesListsTellsAndDeletes() throws Exception {
    assertFalse(token.isEmpty());
    JsonNode listed = host.get("/volumes").json();
    assertEquals(1, listed.size());
    assertEquals("data", listed.path(0).path("name").asText());
    assertFalse(listed.path(0).has("token"), "lists give no access");
    assertEquals(token, host.get("/volumes/" + volume).json().path("token").asText());
    assertEquals(409, host.post("/volumes", "{\"name\":\"data\"}").status());
    for (String bad :
        List.of("{}", "{\"name\":\"\"}", "{\"name\":\"a/b\"}", "{\"name\":3}", "[]")) {
      Answer refused = host.post("/volumes", bad);
      assertEquals(400, refused.status(), bad);
      assertEquals(400, refused.json().path("code").asInt());
    }
    Answer deleted = host.delete("/volumes/" + volume);
    assertEquals(204, deleted.status());
    assertEquals("", deleted.response().body());
    assertEquals(404, host.delete("/volumes/" + volume).status());
    assertEquals(404, host.get("/volumes/" + volume).status());
    assertEquals(0, host.get("/volumes").json().size());
  }

  @Test
  void aRepeatedCreationMakesOne() throws Exception {
    // Stored responses survive the host, and therefore also this test.
    String[] key = {"Idempotency-Key", UUID.randomUUID().toString()};
    Answer first = host.send("POST", "/volumes", "{\"name\":\"once\"}", key);
    Answer again = host.send("POST", "/volumes", "{\"name\":\"once\"}", key);
    assertEquals(201, again.status());
    assertEquals(first.json(), again.json());
    assertEquals(2, host.get("/volumes").json().size());
    assertEquals(422, host.send("POST", "/volumes", "{\"name\":\"other\"}", key).status());
  }

  @Test
  void sandboxesSeeVolumesAndKeepThem() throws Exception {
    String body =
        "{\"templateID\":\"base\",\"volumeMounts\":[{\"name\":\"data\",\"path\":\"/mnt/d\"}]}";
    Answer made = host.post("/v2/sandboxes", body);
    assertEquals(201, made.status());
    String id = made.json().path("sandboxID").asText();
    String mounts = "[{\"name\":\"data\",\"path\":\"/mnt/d\"}]";
    assertEquals(mounts, made.json().path("volumeMounts").toString());
    assertEquals(mounts, host.get("/v2/sandboxes").json().path(0).path("volumeMounts").toString());
    assertEquals(mounts, host.get("/sandboxes/" + id).json().path("volumeMounts").toString());
    assertEquals(
        List.of(new VolumeMount("data", "/mnt/d")),
        Objects.requireNonNull(host.engine.sandboxes.last).rules().volumes());
    Answer inUse = host.delete("/volumes/" + volume);
    assertEquals(409, inUse.status());
    assertTrue(inUse.json().path("message").asText().contains(id));
    assertFalse(host.post("/sandboxes", "{\"templateID\":\"base\"}").json().has("volumeMounts"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "[{\"name\":\"data\",\"path\":\"mnt\"}]",
        "[{\"name\":\"data\",\"path\":\"/\"}]",
        "[{\"name\":\"data\",\"path\":\"/proc/self\"}]",
        "[{\"name\":\"data\",\"path\":\"/dev\"}]",
        "[{\"name\":\"data\",\"path\":\"/usr\"}]",
        "[{\"name\":\"data\",\"path\":\"/a/../b\"}]",
        "[{\"name\":\"data\",\"path\":\"/a/./b\"}]",
        "[{\"name\":\"data\",\"path\":\"/a//b\"}]",
        "[{\"name\":\"data\",\"path\":\"/a/\"}]",
        "[{\"name\":\"data\",\"path\":\"/a\\u0000b\"}]",
        "[{\"name\":\"data\",\"path\":\"/a\\nb\"}]",
        "[{\"name\":\"data\",\"path\":\"/\\ud800\"}]",
        "[{\"name\":\"data\",\"path\":\"/a\"},{\"name\":\"data\",\"path\":\"/a\"}]",
        "[{\"name\":\"data\",\"path\":\"/a/b\"},{\"name\":\"data\",\"path\":\"/a\"}]",
        "[{\"name\":\"data\",\"path\":\"/a\"},{\"name\":\"data\",\"path\":\"/a/b\"}]",
        "[{\"name\":\"data\"}]",
        "[{\"path\":\"/a\"}]",
        "[null]",
        "[\"data\"]",
        "{\"data\":\"/a\"}",
        "\"data\""
      })
  void badMountsAreRefused(String mounts) throws Exception {
    Answer refused =
        host.post("/sandboxes", "{\"templateID\":\"base\",\"volumeMounts\":" + mounts + "}");
    assertEquals(400, refused.status(), refused.response().body());
    assertEquals(0, host.engine.sandboxes.byId.size());
  }

  @Test
  void anUnknownVolumeIsNotFoundAndTooManyAreRefused() throws Exception {
    Answer refused =
        host.post(
            "/sandboxes",
            "{\"templateID\":\"base\",\"volumeMounts\":[{\"name\":\"none\",\"path\":\"/a\"}]}");
    assertEquals(404, refused.status());
    assertEquals(0, host.engine.sandboxes.byId.size());
    StringBuilder many = new StringBuilder();
    for (int i = 0; i <= VolumeMount.MAX; i++) {
      many.append(i == 0 ? "" : ",").append("{\"name\":\"data\",\"path\":\"/m" + i + "\"}");
    }
    assertEquals(
        400,
        host.post("/sandboxes", "{\"templateID\":\"base\",\"volumeMounts\":[" + many + "]}")
            .status());
  }

  @Test
  void filesGoInAndComeOut() throws Exception {
    String large = "0123456789".repeat(300_000); // larger than any other body may be
    Answer written = content("PUT", "/file?path=/f&mode=384&uid=7", large);
    assertEquals(201, written.status(), written.response().body());
    assertEquals(
        "{\"name\":\"f\",\"path\":\"/f\",\"type\":\"file\",\"size\":3000000,\"mode\":384,"
            + "\"uid\":7,\"gid\":0,\"atime\":\"2031-02-03T04:05:06Z\","
            + "\"mtime\":\"2031-02-03T04:05:06Z\",\"ctime\":\"2031-02-03T04:05:06Z\"}",
        written.json().toString());
    Answer read = content("GET", "/file?path=/f", "");
    assertEquals(200, read.status());
    assertEquals(large, read.response().body());
    assertEquals("3000000", read.header("content-length"));
    assertEquals(409, content("PUT", "/file?path=/f&force=false", "x").status());
    assertEquals(201, content("PUT", "/file?path=/f", "").status());
    assertEquals("", content("GET", "/file?path=/f", "").response().body());

    assertEquals(201, content("POST", "/dir?path=/d", "").status());
    assertEquals(409, content("POST", "/dir?path=/d", "").status());
    assertEquals(201, content("POST", "/dir?path=/d&force=true", "").status());
    assertEquals(2, content("GET", "/dir?path=/", "").json().size());
    assertEquals(
        448, content("PATCH", "/path?path=/d", "{\"mode\":448}").json().path("mode").asInt());
    assertEquals("directory", content("GET", "/path?path=/d", "").json().path("type").asText());
    Answer removed = content("DELETE", "/path?path=/d", "");
    assertEquals(204, removed.status());
    assertEquals(404, content("DELETE", "/path?path=/d", "").status());
    assertEquals(404, content("GET", "/file?path=/absent", "").json().path("code").asInt());
    for (String bad :
        List.of("/dir", "/dir?path=", "/dir?path=/&depth=0", "/dir?path=/&depth=x", "/file")) {
      assertEquals(400, content("GET", bad, "").status(), bad);
    }
    assertEquals(400, content("PUT", "/file?path=/x&mode=rw", "").status());
    assertEquals(400, content("POST", "/dir?path=/x&force=maybe", "").status());
    assertEquals(400, content("PATCH", "/path?path=/f", "{\"mode\":\"rw\"}").status());
  }

  @Test
  void onlyTheVolumesOwnTokenOpensIt() throws Exception {
    String other = host.post("/volumes", "{\"name\":\"other\"}").json().path("token").asText();
    String path = "/volumecontent/" + volume + "/dir?path=/";
    assertEquals(401, host.get(path).status());
    for (String given : List.of("Bearer " + other, "Bearer", "Basic " + token, token)) {
      Answer refused = host.send("GET", path, null, "Authorization", given);
      assertEquals(401, refused.status(), given);
      assertEquals("UNAUTHENTICATED", refused.json().path("error").asText());
    }
    String absent = "/volumecontent/none/dir?path=/";
    assertEquals(401, host.send("GET", absent, null, "Authorization", "Bearer " + token).status());
    assertEquals(200, host.send("GET", path, null, "Authorization", "bearer " + token).status());
  }
}
