// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.server.settings.TestHost;
import dev.ramet.server.settings.TestHost.Answer;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Tests versions and tags of templates in the E2B protocol. */
class TemplateTagsTest {
  @AutoClose private final TestHost host = new TestHost(Map.of());

  private String tags(String name, String id) throws Exception {
    List<String> found = new java.util.ArrayList<>();
    for (JsonNode tag : host.get("/templates/" + name + "/tags").json()) {
      Instant.parse(tag.path("createdAt").asText());
      if (tag.path("buildID").asText().equals(id)) {
        found.add(tag.path("tag").asText());
      }
    }
    return String.join(" ", found);
  }

  private Announced make(String name, String tags) throws Exception {
    Answer answer = host.post("/v3/templates", "{\"name\":\"" + name + "\",\"tags\":" + tags + "}");
    assertEquals(202, answer.status(), answer.response().body());
    assertEquals("made", answer.json().path("names").path(0).asText());
    Announced build = Announced.in(answer);
    host.post(build.start(), "{\"fromTemplate\":\"base\"}");
    assertEquals("ready", build.end(host).path("status").asText());
    return build;
  }

  @Test
  void versionsAreToldApartByTags() throws Exception {
    String first = make("made", "[]").template();
    String second = make("made:v2", "[\"v2\",\"next\",\"next\"]").template();
    assertEquals(first, host.get("/templates/made").json().path("templateID").asText());
    assertEquals(second, host.get("/templates/made:v2").json().path("templateID").asText());
    assertEquals("next", host.get("/templates/made:v2").json().path("tags").path(0).asText());
    assertEquals("next v2", tags("made", second));
    assertEquals("default", tags("made:v2", first));
    assertEquals(404, host.get("/templates/made:v3").status());
    assertEquals(404, host.post("/sandboxes", "{\"templateID\":\"made:v3\"}").status());
    assertEquals(201, host.post("/sandboxes", "{\"templateID\":\"made:v2\"}").status());
    assertEquals(200, host.get("/templates/aliases/made:v2").status());
    assertEquals(404, host.get("/templates/aliases/made:v3").status());

    Answer moved =
        host.post("/templates/tags", "{\"target\":\"made:v2\",\"tags\":[\"default\",\"default\"]}");
    assertEquals(201, moved.status(), moved.response().body());
    assertEquals(second, moved.json().path("buildID").asText());
    assertEquals("[\"default\"]", moved.json().path("tags").toString());
    assertEquals(second, host.get("/templates/made").json().path("templateID").asText());
    assertEquals(200, host.get("/templates/" + first).status(), "it stays, by its id");

    String body = "{\"name\":\"made\",\"tags\":[\"default\",\"v2\"]}";
    assertEquals(204, host.send("DELETE", "/templates/tags", body).status());
    assertEquals("next", tags("made", second));
    assertEquals(404, host.get("/templates/made").status());
    Answer alias = host.get("/templates/aliases/made");
    assertEquals(200, alias.status(), "the name is there, although none of it is the default");
    assertEquals(404, host.send("DELETE", "/templates/tags", body).status());
    assertEquals(404, host.post("/templates/tags", body.replace("name", "target")).status());

    assertEquals(204, host.delete("/templates/made%3Anext").status());
    assertEquals(404, host.get("/templates/" + second).status());
    assertEquals(200, host.get("/templates/" + first).status());
    assertEquals(204, host.delete("/templates/made").status());
    assertEquals(404, host.get("/templates/made/tags").status());
  }

  @Test
  void fieldsOfTags() throws Exception {
    List<String> cases =
        List.of(
            "400 | target | {}",
            "400 | target | {\"tags\":[\"v1\"]}",
            "400 | tags | {\"target\":\"base\"}",
            "400 | tags | {\"target\":\"base\",\"tags\":[]}",
            "400 | tags | {\"target\":\"base\",\"tags\":\"v1\"}",
            "400 | tags[0] | {\"target\":\"base\",\"tags\":[null]}",
            "400 | tags[1] | {\"target\":\"base\",\"tags\":[\"v1\",\"v:2\"]}",
            "400 | tags[0] | {\"target\":\"base\",\"tags\":[\"..\"]}",
            "404 | template | {\"target\":\"base:v9\",\"tags\":[\"v1\"]}",
            "404 | template | {\"target\":\"team/base\",\"tags\":[\"v1\"]}",
            "404 | template | {\"target\":\"a:b:c\",\"tags\":[\"v1\"]}");
    String before = host.engine.templates.byName.toString();
    for (String one : cases) {
      String[] parts = one.split(" \\| ", 3);
      int status = Integer.parseInt(parts[0]);
      Answer assigned = host.post("/templates/tags", parts[2]);
      assertEquals(status, assigned.status(), one);
      assertTrue(assigned.json().path("message").asText().startsWith(parts[1]), one);
      String removal = parts[2].replace("target", "name").replace("[\"v1\"]", "[\"none\"]");
      assertEquals(status, host.send("DELETE", "/templates/tags", removal).status(), one);
      assertEquals(before, host.engine.templates.byName.toString(), one);
    }
  }
}
