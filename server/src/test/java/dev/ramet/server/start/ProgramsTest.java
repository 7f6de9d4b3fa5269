// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.server.settings.TestHost;
import dev.ramet.server.settings.TestHost.Answer;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the parts of the API that are there for programs: names, labels, fields, old paths. */
class ProgramsTest extends ApiGround {
  private String create(String more) throws Exception {
    Answer made = host.post("/sandboxes", "{\"templateID\":\"base\"" + more + "}");
    assertEquals(201, made.status(), made.response().body());
    return made.json().path("sandboxID").asText();
  }

  @Test
  void theDomainNamesThisHost() throws Exception {
    JsonNode made = host.post("/sandboxes", "{\"templateID\":\"base\"}").json();
    assertEquals("localhost:" + host.port(), made.path("domain").asText());
    try (TestHost other = new TestHost(Map.of("ramet.domain", "box.example.org"))) {
      JsonNode there = other.post("/sandboxes", "{\"templateID\":\"base\"}").json();
      assertEquals("box.example.org", there.path("domain").asText());
    }
  }

  @Test
  void aSandboxIsRenamedAndLabelled() throws Exception {
    String id = create(",\"name\":\"web\",\"metadata\":{\"stage\":\"test\"}");
    assertEquals(id, host.get("/sandboxes/web").json().path("sandboxID").asText());
    Answer renamed = host.put("/v2/sandboxes/web/name", "{\"name\":\"api\"}");
    assertEquals(200, renamed.status());
    assertEquals("api", renamed.json().path("name").asText());
    assertEquals(404, host.get("/sandboxes/web").status());
    Answer labelled =
        host.post(
            "/sandboxes/api/metadata", "{\"metadata\":{\"owner\":\"ci\"},\"remove\":[\"stage\"]}");
    assertEquals("{\"owner\":\"ci\"}", labelled.json().path("metadata").toString());
    assertTrue(
        host.put("/sandboxes/api/name", "{\"name\":\"\"}").json().path("name").isMissingNode());
    for (String bad : new String[] {"{}", "{\"name\":null}", "{\"name\":7}"}) {
      assertEquals(400, host.put("/sandboxes/" + id + "/name", bad).status(), bad);
    }
    for (String bad :
        new String[] {
          "{}",
          "{\"metadata\":{\"a\":null}}",
          "{\"metadata\":[]}",
          "{\"remove\":[null]}",
          "{\"remove\":\"a\"}"
        }) {
      assertEquals(400, host.post("/sandboxes/" + id + "/metadata", bad).status(), bad);
    }
    assertEquals(404, host.put("/sandboxes/none/name", "{\"name\":\"a\"}").status());
  }

  @Test
  void aSandboxIsRestartedOnce() throws Exception {
    String id = create("");
    for (int i = 0; i < 2; i++) {
      Answer done =
          host.send("POST", "/sandboxes/" + id + "/restart", null, "Idempotency-Key", "again");
      assertEquals(200, done.status());
      assertEquals("running", done.json().path("state").asText());
    }
    assertEquals(1, host.engine.sandboxes.restarts.get());
    assertEquals(404, host.post("/sandboxes/none/restart", null).status());
  }

  @Test
  void listsAreFilteredByLabel() throws Exception {
    String ci = create(",\"metadata\":{\"owner\":\"ci\",\"path\":\"a,b=c\"}");
    create(",\"metadata\":{\"owner\":\"me\"}");
    create("");
    assertEquals(2, host.get("/sandboxes?label=owner").json().size());
    assertEquals(1, host.get("/sandboxes?label=owner%3Dci").json().size());
    Answer both = host.get("/v2/sandboxes?label=owner%3Dci&label=path%3Da%2Cb%3Dc");
    assertEquals(ci, both.json().at("/0/sandboxID").asText());
    assertEquals(0, host.get("/sandboxes?label=owner%3Dci&label=none").json().size());
    assertEquals(400, host.get("/sandboxes?label=%3Dci").status());
  }

  @Test
  void listsHaveTheFieldsThatWereAskedFor() throws Exception {
    create("");
    create("");
    JsonNode list = host.get("/sandboxes?fields=sandboxID,state&limit=1").json();
    Set<String> names = new TreeSet<>();
    list.path(0).fieldNames().forEachRemaining(names::add);
    assertEquals(Set.of("sandboxID", "state"), names);
    Answer first = host.get("/v2/sandboxes?fields=state&fields=endAt&limit=1");
    assertFalse(String.valueOf(first.header("x-next-token")).isEmpty());
    assertEquals(2, first.json().path(0).size());
    Answer unknown = host.get("/sandboxes?fields=sandboxID,stat");
    assertEquals(400, unknown.status());
    assertTrue(unknown.json().path("message").asText().contains("stat"));
    assertTrue(unknown.json().path("remedy").asText().contains("state"));
    assertEquals(200, host.get("/templates?fields=templateID").status());
  }

  @Test
  void oldPathsSaySo() throws Exception {
    String id = create("");
    Answer old = host.post("/sandboxes/" + id + "/resume", "{}");
    assertEquals("@1796083200", old.header("Deprecation"));
    assertEquals("</sandboxes/" + id + "/connect>; rel=\"successor-version\"", old.header("Link"));
    assertNull(host.post("/sandboxes/" + id + "/connect", "{}").header("Deprecation"));
    Answer refresh = host.post("/v2/sandboxes/" + id + "/refreshes", "{}");
    assertEquals(
        "</v2/sandboxes/" + id + "/timeout>; rel=\"successor-version\"", refresh.header("Link"));
  }

  @Test
  void theHomePageIsTheDocumentation() throws Exception {
    Answer home = host.send("GET", "/", null, "Accept", "text/html");
    assertEquals(307, home.status());
    assertEquals("/docs", home.header("Location"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "GET | /nothing | | 404 | there is no route GET /nothing | GET /docs shows the routes",
        "PUT | /sandboxes | {} | 405 | PUT /sandboxes: the route does not take this method | use GET, HEAD, POST",
        "GET | /sandboxes?limit=many | | 400 | limit: must be an integer of at most 31 bits, not many |",
      })
  void theFrameworksRefusalsAreInPlainWords(
      String method, String path, String body, int status, String message, String remedy)
      throws Exception {
    Answer refused = host.send(method, path, body);
    assertEquals(status, refused.status());
    assertEquals(message, refused.json().path("message").asText());
    assertEquals(remedy == null ? "" : remedy, refused.json().path("remedy").asText());
  }

  @Test
  void aBodyOfAnotherTypeIsRefusedInPlainWords() throws Exception {
    Answer refused = host.send("POST", "/sandboxes", "{}", "Content-Type", "text/csv");
    assertEquals(415, refused.status());
    assertEquals(
        "the body's Content-Type is not understood: text/csv",
        refused.json().path("message").asText());
  }
}
