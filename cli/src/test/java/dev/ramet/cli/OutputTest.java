// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the formats in which lists and objects are printed. */
final class OutputTest {
  private static final String ONE = Answers.sandbox("one", ",\"parentID\":\"zero\"");
  private static final String TWO =
      Answers.sandbox("two", "").replace("\"metadata\":{}", "\"metadata\":{\"owner\":\"ci, x\"}");

  @AutoClose private final FakeHost host = new FakeHost();

  @BeforeEach
  void twoSandboxes() {
    host.on("/v2/sandboxes", 200, "[" + ONE + "," + TWO + "]");
    host.on("/sandboxes/one", 200, ONE);
  }

  private String out(String... args) {
    FakeHost.Outcome done = host.run(args);
    assertEquals(0, done.status(), done.err());
    return done.out();
  }

  @Test
  void jsonIsTheHostsToTheByte() {
    assertEquals("[" + ONE + "," + TWO + "]\n", out("sandbox", "ls", "-o", "json"));
    assertEquals(ONE + "\n", out("sandbox", "show", "one", "--output=json", "--json"));
  }

  @Test
  void yamlHoldsTheSameData() {
    String list = out("sandbox", "ls", "-o", "yaml");
    assertTrue(list.startsWith("  - sandboxID: one\n    templateID: t1\n"), list);
    assertTrue(list.contains("    metadata:\n      owner: ci, x\n"), list);
    assertTrue(out("sandbox", "show", "one", "-o", "yaml").startsWith("sandboxID: one\n"));
  }

  @Test
  void namesAreIdsThatCommandsTake() {
    assertEquals("one\ntwo\n", out("sandbox", "ls", "-o", "name"));
    assertEquals("one\n", out("sandbox", "show", "one", "-o", "name"));
  }

  @Test
  void aWideTableHasMoreColumns() {
    String usual = out("sandbox", "ls");
    String wide = out("sandbox", "ls", "-o", "wide");
    assertEquals(usual, out("sandbox", "ls", "-o", "table"));
    assertTrue(!usual.contains("PARENT") && wide.contains("PARENT"), wide);
    assertTrue(wide.contains("owner=ci, x"), wide);
  }

  @Test
  void headingsCanBeLeftOut() {
    List<String> lines = out("sandbox", "ls", "--no-headers").lines().toList();
    assertEquals(2, lines.size());
    assertTrue(lines.get(0).startsWith("one  micro"), lines.get(0));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          {[*].sandboxID}|one two
          [*].sandboxID|one two
          {$[0]['sandboxID']}|one
          {[-1].sandboxID}/{[0:1].state}|two/running
          {..sandboxID}|one two
          {range [*]}{.sandboxID}={.cpuCount};{end}|one=1;two=1;
          {[?(@.parentID)].sandboxID}|one
          {[?(@.sandboxID=='two')].metadata}|{"owner":"ci, x"}
          {[?(@.memoryMB >= 256)].sandboxID}|one two
          {[?(@.memoryMB > 256)].sandboxID}nobody|nobody
          {[5].sandboxID}{.none}none|none
          """)
  void templatesSelectValues(String template, String expected) {
    assertEquals(expected + "\n", out("sandbox", "ls", "-o", "jsonpath=" + template));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-o xml",
        "-o jsonpath=",
        "-o jsonpath={[}",
        "-o jsonpath={.a",
        "-o jsonpath={.a}{end}",
        "-o jsonpath={[*].a}{end}",
        "-o jsonpath={[?(@.a==1].b}",
        "-o yaml --json",
        "--filter colour=red",
        "--filter running"
      })
  void badOptionsAreRefusedBeforeTheHostIsAsked(String options) {
    String[] args =
        Stream.concat(Stream.of("sandbox", "ls"), Stream.of(options.split(" ", -1)))
            .toArray(String[]::new);
    FakeHost.Outcome done = host.run(args);
    assertEquals(2, done.status(), done.err());
    assertEquals("", done.out());
    assertEquals(List.of(), host.requests);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          state=running|one two
          state=paused|
          state=paused,running|one two
          template=micro,state=running|one two
          template=t1|one two
          label=owner|two
          label=owner=ci, x|two
          label=owner=ci|
          label=owner,label=colour|
          """)
  void filtersSelectObjects(String filter, String expected) {
    String ids = expected == null ? "" : expected;
    List<String> found = out("sandbox", "ls", "-q", "--filter", filter).lines().toList();
    assertEquals(ids, String.join(" ", found));
  }

  @Test
  void filteredJsonIsStillTheHosts() {
    assertEquals("[" + TWO + "]\n", out("sandbox", "ls", "--json", "--filter", "label=owner"));
  }

  @Test
  void timesAreShownToTheSecond() {
    String nanos = ONE.replace("2020-01-01T00:00:00Z", "2020-01-01T00:00:00.123456789Z");
    host.on("/sandboxes/nanos", 200, nanos);
    String shown = out("sandbox", "show", "nanos");
    assertTrue(shown.contains("2020-01-01T00:00:00Z ("), shown);
    assertTrue(!shown.contains("123456789"), shown);
  }

  @Test
  void aWatchedListPrintsWhatChanged() {
    int[] asked = {0};
    try (FakeHost changing = new FakeHost()) {
      changing.on(
          "/v2/sandboxes",
          (exchange, body) -> {
            switch (asked[0]++) {
              case 0 -> FakeHost.answer(exchange, 200, "[" + ONE + "]");
              case 1 -> FakeHost.answer(exchange, 200, "[" + TWO + "]");
              default ->
                  FakeHost.answer(exchange, 503, Answers.error(503, "UNAVAILABLE", "gone", ""));
            }
          });
      FakeHost.Outcome done = changing.run("sandbox", "ls", "-q", "--watch");
      assertEquals("one\ntwo\n", done.out());
      assertEquals("gone: one\nerror: gone\n  \n", done.err());
      assertEquals(6, done.status());
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "sandbox ls --filter state=running,paused | /v2/sandboxes?state=running%2Cpaused",
        "sandbox ls --filter label=a=1 --filter label=b | /v2/sandboxes?label=a%3D1&label=b",
        "sandbox ls --state paused --filter state=running | /v2/sandboxes?state=paused",
        "sandbox ls --filter name=web,template=t1 | /v2/sandboxes",
        "sandbox kill --filter label=a=1 -y | /v2/sandboxes?label=a%3D1",
        "snapshot ls --filter sandbox=abc,name=n | /snapshots?sandboxID=abc&name=n",
        "snapshot ls --filter name=n,m | /snapshots",
        "operation ls --filter kind=sandbox.clone | /operations?limit=100&kind=sandbox.clone"
      })
  void theHostFiltersWhatItCan(String line, String uri) {
    host.on("/snapshots", 200, "[]").on("/operations", 200, "[]");
    assertEquals(0, host.run(line.split(" ", -1)).status());
    assertEquals(uri, host.requests.get(host.requests.size() - 1).uri());
  }
}
