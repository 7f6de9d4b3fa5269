// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.server.settings.TestHost;
import dev.ramet.server.settings.TestHost.Answer;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that the refusal of an announced template build names the field. */
class TemplateBuildFieldsTest {
  @AutoClose private final TestHost host = new TestHost(Map.of());

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
    Announced build = Announced.on(host, "made");
    Answer answer = host.post(build.start(), body);
    assertEquals(400, answer.status(), answer.response().body());
    assertTrue(answer.json().path("message").asText().startsWith(field), answer.response().body());
    assertEquals("waiting", host.get(build.status()).json().path("status").asText());
    assertEquals(List.of(), host.engine.templates.derived);
  }
}
