// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests requests for sandboxes that come from files. */
final class RequestFileTest {
  private static final String REQUEST =
      """
      templateID: web
      timeout: -1
      metadata: {owner: ci, stage: "1"}
      network:
        denyOut: [all]
      """;

  @TempDir private Path directory;
  @AutoClose private final FakeHost host = new FakeHost();

  private FakeHost.Outcome create(String text, String... more) throws Exception {
    host.on("/sandboxes", 201, Answers.sandbox("abc", ""));
    String file = Files.writeString(directory.resolve("request"), text).toString();
    List<String> line = new java.util.ArrayList<>(List.of("sandbox", "create", "-f", file));
    line.addAll(List.of(more));
    return host.run(line.toArray(new String[0]));
  }

  @Test
  void aFileOfYamlOrJsonIsTheBody() throws Exception {
    assertEquals("abc\n", create(REQUEST).out());
    String sent =
        "{\"templateID\":\"web\",\"timeout\":-1,\"metadata\":{\"owner\":\"ci\",\"stage\":\"1\"},"
            + "\"network\":{\"denyOut\":[\"all\"]}}";
    assertEquals(sent, host.requests.get(0).text());
    FakeHost.Outcome again = host.run(sent.getBytes(UTF_8), "sandbox", "create", "-f", "-");
    assertEquals(0, again.status(), again.err());
    assertEquals(sent, host.requests.get(1).text());
  }

  @Test
  void optionsOverrideTheFile() throws Exception {
    create(REQUEST, "-t", "other", "--timeout", "60", "--label", "owner=me", "--metadata", "x=y");
    assertEquals(
        "{\"templateID\":\"other\",\"timeout\":60,"
            + "\"metadata\":{\"owner\":\"me\",\"stage\":\"1\",\"x\":\"y\"},"
            + "\"network\":{\"denyOut\":[\"all\"]}}",
        host.requests.get(0).text());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          templateId: web|templateId: no such field; there are
          network: {deny: [all]}|network.deny: no such field; there are
          cpuCount: many|cpuCount: a value of another type is needed
          metadata: {debug: yes}|metadata.debug: put the value in quotes
          envVars: {N: 1}|envVars.N: put the value in quotes
          [web]|not the fields of a request
          `templateID: "web`|not YAML or JSON
          {templateID: a, templateID: b}|not YAML or JSON
          !!java.net.URL ["http://x"]|not YAML or JSON
          """)
  void aWrongFileIsRefusedWithItsPlace(String text, String problem) throws Exception {
    FakeHost.Outcome done = create(text);
    assertEquals(2, done.status(), done.err());
    assertTrue(done.err().contains(problem), done.err());
    assertTrue(done.err().startsWith("error: " + directory), done.err());
    assertEquals(List.of(), host.requests);
  }

  @Test
  void aFileThatIsNotThereIsNotFound() {
    assertEquals(3, host.run("sandbox", "create", "-f", "/nowhere/request").status());
  }
}
