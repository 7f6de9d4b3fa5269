// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.server.settings.TestHost;
import dev.ramet.server.settings.TestHost.Answer;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that every refused request gets an error in the standard form. */
class BadRequestsTest {
  private static TestHost host = new TestHost(Map.of());
  private static String id = "";

  @BeforeAll
  static void sandbox() throws Exception {
    id = host.sandbox();
  }

  @AfterAll
  static void close() {
    host.close();
  }

  private static void assertError(int status, Answer answer) {
    String body = answer.response().body();
    assertAll(
        () -> assertEquals(status, answer.status(), body),
        () -> assertEquals(status, answer.json().path("code").asInt(), body),
        () -> assertTrue(answer.json().path("message").isTextual(), body),
        () -> assertFalse(answer.json().path("message").asText().isBlank(), body),
        () -> assertTrue(answer.json().path("error").isTextual(), body),
        () -> assertTrue(String.valueOf(answer.header("content-type")).contains("json"), body));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{",
        "[]",
        "null",
        "7",
        "\"x\"",
        "{\"templateID\":\"base\"}{}",
        "{\"templateID\":\"base\",\"templateID\":\"base\"}",
        "\u0000",
        "nul",
        "{'templateID':'base'}",
      })
  void bodiesThatAreNotOneObject(String body) throws Exception {
    assertError(400, host.post("/sandboxes", body));
  }

  @Test
  void aBodyNestedTooDeeply() throws Exception {
    assertError(400, host.post("/sandboxes", "{\"a\":" + "[".repeat(5000) + "}"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\u0001',
      value = {
        "templateID | {}",
        "templateID | {\"templateID\":null}",
        "templateID | {\"templateID\":\"\"}",
        "templateID | {\"templateID\":5}",
        "templateID | {\"templateID\":{}}",
        "timeout | {\"templateID\":\"base\",\"timeout\":\"5\"}",
        "timeout | {\"templateID\":\"base\",\"timeout\":1.5}",
        "timeout | {\"templateID\":\"base\",\"timeout\":-2}",
        "timeout | {\"templateID\":\"base\",\"timeout\":99999999999}",
        "metadata | {\"templateID\":\"base\",\"metadata\":[]}",
        "metadata.a | {\"templateID\":\"base\",\"metadata\":{\"a\":1}}",
        "metadata.a | {\"templateID\":\"base\",\"metadata\":{\"a\":null}}",
        "envVars | {\"templateID\":\"base\",\"envVars\":{\"A=B\":\"x\"}}",
        "cpuCount | {\"templateID\":\"base\",\"cpuCount\":0}",
        "cpuCount | {\"templateID\":\"base\",\"cpuCount\":33}",
        "cpuCount | {\"templateID\":\"base\",\"cpuCount\":true}",
        "memoryMB | {\"templateID\":\"base\",\"memoryMB\":63}",
        "memoryMB | {\"templateID\":\"base\",\"memoryMB\":1048577}",
        "allow_internet_access | {\"templateID\":\"base\",\"allow_internet_access\":\"no\"}",
        "network | {\"templateID\":\"base\",\"network\":[\"1.2.3.4\"]}",
        "network.denyOut | {\"templateID\":\"base\",\"network\":{\"denyOut\":\"1.2.3.4\"}}",
        "network.denyOut | {\"templateID\":\"base\",\"network\":{\"denyOut\":[5]}}",
        "network.denyOut[0] | {\"templateID\":\"base\",\"network\":{\"denyOut\":[null]}}",
        "network.allowOut[0] | {\"templateID\":\"base\",\"network\":{\"allowOut\":[\"a..org\"]}}",
        "network.allowOut[0] | {\"templateID\":\"base\",\"network\":{\"allowOut\":[\"1.2.3.4/33\"]}}",
        "network.allowOut[0] | {\"templateID\":\"base\",\"network\":{\"allowOut\":[\"m\u00fc.org\"]}}",
        "network.allowOut[0] | {\"templateID\":\"base\",\"network\":{\"allowOut\":[\"*\"]}}",
        "network.rules.a.b[0] | {\"templateID\":\"base\",\"network\":{\"rules\":{\"a.b\":[1]}}}",
        "network.denyOut[0] | {\"templateID\":\"base\",\"network\":{\"denyOut\":[\"a.org\"]}}",
        "network.egressProxy | {\"templateID\":\"base\",\"network\":{\"egressProxy\":\"p:1\"}}",
        "network.egressProxy.address | {\"templateID\":\"base\",\"network\":{\"egressProxy\":{}}}",
        "network.egressProxy.address | {\"templateID\":\"base\",\"network\":{\"egressProxy\":{\"address\":\"p\"}}}",
        "network.egressProxy.address | {\"templateID\":\"base\",\"network\":{\"egressProxy\":{\"address\":\"p:0\"}}}",
        "network.egressProxy.address | {\"templateID\":\"base\",\"network\":{\"egressProxy\":{\"address\":\"1.2.3:1\"}}}",
        "network.egressProxy.password | {\"templateID\":\"base\",\"network\":{\"egressProxy\":{\"address\":\"p:1\",\"password\":\"x\"}}}",
      })
  void fieldsOfACreation(String field, String body) throws Exception {
    int before = host.engine.sandboxes.byId.size();
    Answer answer = host.post("/v2/sandboxes", body);
    assertError(400, answer);
    assertTrue(answer.json().path("message").asText().startsWith(field), answer.json().toString());
    assertEquals(before, host.engine.sandboxes.byId.size());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\u0001',
      value = {
        "count | clone | {\"count\":0}",
        "count | clone | {\"count\":101}",
        "count | fork | {\"count\":0}",
        "count | fork | {\"count\":\"3\"}",
        "concurrency | clone | {\"concurrency\":0}",
        "timeout | fork | {\"timeout\":-5}",
        "name | snapshots | {\"name\":\"a/b\"}",
        "name | snapshots | {\"name\":\"\"}",
        "name | snapshots | {\"name\":\"..\"}",
        "name | snapshots | {\"name\":7}",
        "memoryMode | snapshots | {\"memoryMode\":\"telepathy\"}",
        "memoryMode | snapshots | {\"memoryMode\":\"\"}",
        "snapshotID | rollback | {}",
        "snapshotID | rollback | {\"snapshotID\":[]}",
        "timeout | timeout | {}",
        "timeout | timeout | {\"timeout\":\"x\"}",
        "timeout | connect | {\"timeout\":-7}",
      })
  void fieldsOfOperations(String field, String operation, String body) throws Exception {
    Answer answer = host.post("/sandboxes/" + id + "/" + operation, body);
    assertError(400, answer);
    assertTrue(answer.json().path("message").asText().startsWith(field), answer.json().toString());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\u0001',
      value = {
        "recipe | /templates | {}",
        "recipe | /templates | {\"recipe\":\"../x\"}",
        "name | /templates | {\"recipe\":\"base\",\"name\":\"a b\"}",
        "diskSizeMB | /templates | {\"recipe\":\"base\",\"diskSizeMB\":-1}",
        "name | /templates/import | {}",
        "kernel | /templates/import | {\"name\":\"a\",\"kernel\":\"rel\",\"rootfs\":\"/x\"}",
        "kernel | /templates/import | {\"name\":\"a\",\"kernel\":\"/\\u0000\",\"rootfs\":\"/x\"}",
        "rootfs | /templates/import | {\"name\":\"a\",\"kernel\":\"/x\"}",
        "name | /templates/image | {\"image\":\"/x\"}",
        "image | /templates/image | {\"name\":\"a\"}",
        "image | /templates/image | {\"name\":\"a\",\"image\":\"layout\"}",
        "diskSizeMB | /templates/image | {\"name\":\"a\",\"image\":\"/x\",\"diskSizeMB\":1}",
      })
  void fieldsOfTemplates(String field, String path, String body) throws Exception {
    Answer answer = host.post(path, body);
    assertError(400, answer);
    assertTrue(answer.json().path("message").asText().startsWith(field), answer.json().toString());
  }

  @ParameterizedTest
  @CsvSource({
    "GET,/nothing,404",
    "GET,/sandboxes/none,404",
    "GET,/sandboxes/..%2F..%2Fetc,404",
    "GET,/sandboxes/%00,404",
    "GET,/sandboxes/a%20b,404",
    "GET,/snapshots/%F0%9F%98%80,404",
    "DELETE,/templates/..,404",
    "DELETE,/templates/none,404",
    "GET,/templates/a:b:c,404",
    "PUT,/sandboxes,405",
    "DELETE,/health,405",
    "PATCH,/sandboxes/x/clone,405",
    "GET,/sandboxes?limit=x,400",
    "GET,/doctor?refresh=maybe,400",
  })
  void routes(String method, String path, int status) throws Exception {
    assertError(status, host.send(method, path, null));
    Answer asPage = host.send(method, path, null, "Accept", "text/html");
    assertError(asPage.status() == 406 ? 406 : status, asPage);
  }

  @Test
  void mediaTypes() throws Exception {
    String body = "{\"templateID\":\"base\"}";
    assertError(415, host.send("POST", "/sandboxes", body, "Content-Type", "text/xml"));
    assertError(
        415,
        host.send("POST", "/sandboxes", body, "Content-Type", "application/x-www-form-urlencoded"));
    Answer odd = host.send("POST", "/sandboxes", body, "Content-Type", "%%%");
    assertTrue(odd.status() < 500, odd.response().body());
    assertError(406, host.send("GET", "/templates", null, "Accept", "image/png"));
  }

  @Test
  void aBodyThatIsTooLarge() throws Exception {
    Answer answer = host.post("/sandboxes", "{\"a\":\"" + "x".repeat(1 << 20) + "\"}");
    assertError(413, answer);
    assertEquals("TOO_LARGE", answer.json().path("error").asText());
  }

  @Test
  void whatThisHostCannotDoIsNotPromised() throws Exception {
    for (String field : new String[] {"\"iam\":{\"a\":1}", "\"mcp\":{\"a\":1}"}) {
      Answer answer = host.post("/v2/sandboxes", "{\"templateID\":\"base\"," + field + "}");
      assertError(501, answer);
      assertEquals("UNSUPPORTED", answer.json().path("error").asText());
      assertFalse(answer.json().path("remedy").asText().isEmpty());
    }
  }

  @Test
  void aDefectTellsNothingButWhereToLook() throws Exception {
    Answer answer = host.post("/sandboxes", "{\"templateID\":\"defect\"}");
    assertError(500, answer);
    assertTrue(answer.json().path("message").asText().contains("operation op-"));
    assertFalse(answer.response().body().contains("secret"));
    Answer full = host.post("/sandboxes", "{\"templateID\":\"full\"}");
    assertError(507, full);
    assertEquals("make some", full.json().path("remedy").asText());
  }

  /**
   * Clients show their users the option or form field for it, so they need not read the message.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"memoryMB\":1} | memoryMB",
        "{\"memoryMB\":\"much\"} | memoryMB",
        "{\"envVars\":{\"A\":\"\\u0000\"}} | envVars.A",
        "{\"network\":{\"allowOut\":[\"nowhere at all\"]}} | network.allowOut[0]",
        "{\"timeout\":-7} | timeout"
      })
  void errorsNameTheField(String body, String field) throws Exception {
    Answer answer = host.post("/sandboxes", body.replaceFirst("\\{", "{\"templateID\":\"base\","));
    assertError(400, answer);
    assertEquals(field, answer.json().path("field").asText());
    assertTrue(answer.json().path("message").asText().startsWith(field + ": "));
  }

  @Test
  void errorsOfParametersNameTheParameter() throws Exception {
    assertEquals(
        "limit", host.send("GET", "/sandboxes?limit=x", null).json().path("field").asText());
    assertTrue(host.send("GET", "/sandboxes/nosuch", null).json().path("field").isMissingNode());
  }
}
