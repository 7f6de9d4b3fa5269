// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Tests the commands for sandboxes. */
final class SandboxCommandsTest {
  @AutoClose private final FakeHost host = new FakeHost();

  @Test
  void createPrintsTheIdAndSendsWhatWasGiven() {
    host.on("/sandboxes", 201, Answers.sandbox("abc", ""));
    FakeHost.Outcome done =
        host.run(
            "sandbox",
            "create",
            "--template",
            "big",
            "--timeout",
            "never",
            "--metadata",
            "a=b",
            "--metadata",
            "c=d",
            "--env",
            "X=1",
            "--cpu",
            "2",
            "--memory",
            "1G");
    assertEquals(0, done.status(), done.err());
    assertEquals("abc\n", done.out());
    assertEquals(
        "{\"templateID\":\"big\",\"timeout\":-1,\"metadata\":{\"a\":\"b\",\"c\":\"d\"},"
            + "\"envVars\":{\"X\":\"1\"},\"cpuCount\":2,\"memoryMB\":1024}",
        host.requests.get(0).text());
  }

  @Test
  void createSendsOnlyWhatWasGiven() {
    host.on("/sandboxes", 201, Answers.sandbox("abc", ""));
    assertEquals(0, host.run("sandbox", "create").status());
    assertEquals("{\"templateID\":\"micro\"}", host.requests.get(0).text());
  }

  @Test
  void createSaysOnStandardErrorWhenItEnds() {
    String ends = ",\"endAt\":\"2020-01-01T00:05:00.004Z\"";
    String pauses = ends + ",\"lifecycle\":{\"onTimeout\":\"pause\",\"autoResume\":true}";
    Iterator<String> answers = List.of(ends, ends, pauses, "").iterator();
    host.on(
        "/sandboxes",
        (exchange, body) -> FakeHost.answer(exchange, 201, Answers.sandbox("abc", answers.next())));
    FakeHost.Outcome done = host.run("sandbox", "create");
    assertEquals("abc\n", done.out());
    assertEquals("ends in 5 minutes; --timeout changes that\n", done.err());
    assertEquals("ends in 5 minutes\n", host.run("sandbox", "create", "--timeout", "5m").err());
    assertEquals(
        "pauses in 5 minutes; --timeout changes that\n", host.run("sandbox", "create").err());
    assertEquals("", host.run("sandbox", "create", "--timeout", "never").err());
  }

  @Test
  void resumeGivesNoTimeUnlessAsked() throws Exception {
    host.on("/sandboxes/abc/connect", 201, Answers.sandbox("abc", ""));
    assertEquals("abc\n", host.run("sandbox", "resume", "abc").out());
    assertEquals("{}", lastBody());
    assertEquals(0, host.run("sandbox", "resume", "--timeout", "15m", "abc").status());
    JsonNode given = new ObjectMapper().readTree(lastBody());
    assertEquals(900, given.path("timeout").asInt());
    assertTrue(given.path("replaceNever").asBoolean());
    for (String never : new String[] {"never", "-1"}) {
      assertEquals(0, host.run("sandbox", "resume", "--timeout=" + never, "abc").status());
      assertEquals(-1, new ObjectMapper().readTree(lastBody()).path("timeout").asInt());
    }
  }

  private String lastBody() {
    return host.requests.get(host.requests.size() - 1).text();
  }

  @Test
  void restartSaysThatMemoryIsLost() {
    host.on("/sandboxes/web/restart", 200, Answers.sandbox("abc", ""));
    FakeHost.Outcome done = host.run("sandbox", "restart", "web");
    assertEquals("web\n", done.out());
    assertEquals("web has booted from its disk; what was in memory is lost\n", done.err());
    assertEquals(3, host.run("sandbox", "restart", "none").status());
  }

  @Test
  void aNameIsGivenAtCreationAndLater() {
    host.on("/sandboxes", 201, Answers.sandbox("abc", ""));
    assertEquals(0, host.run("sandbox", "create", "--name", "web").status());
    assertEquals("{\"templateID\":\"micro\",\"name\":\"web\"}", lastBody());
    host.on("/sandboxes/web/name", 200, Answers.sandbox("abc", ",\"name\":\"api\""));
    assertEquals("abc\n", host.run("sandbox", "rename", "web", "api").out());
    assertEquals("{\"name\":\"api\"}", lastBody());
    assertEquals("PUT", host.requests.get(host.requests.size() - 1).method());
    assertEquals(0, host.run("sandbox", "rename", "web", "").status());
    assertEquals("{\"name\":\"\"}", lastBody());
  }

  @Test
  void labelsAreSetRemovedAndShown() {
    String labelled =
        Answers.sandbox("abc", "")
            .replace("\"metadata\":{}", "\"metadata\":{\"b\":\"2\",\"a\":\"1\"}");
    host.on("/sandboxes/abc", 200, labelled);
    FakeHost.Outcome done = host.run("sandbox", "label", "abc", "b=2", "c-", "d=x=y-");
    assertEquals("a=1\nb=2\n", done.out());
    assertEquals("{\"metadata\":{\"b\":\"2\",\"d\":\"x=y-\"},\"remove\":[\"c\"]}", lastBody());
    int sent = host.requests.size();
    for (String bad : new String[] {"a", "=a", "-"}) {
      assertEquals(2, host.run("sandbox", "label", "abc", bad).status(), bad);
    }
    assertEquals(sent, host.requests.size(), "nothing was sent");
    assertEquals("a=1\nb=2\n", host.run("sandbox", "label", "abc").out());
    assertEquals("GET", host.requests.get(host.requests.size() - 1).method());
  }

  @Test
  void aPausedSandboxHasNoEnd() {
    String paused =
        Answers.sandbox("abc", ",\"endAt\":\"2020-01-01T00:05:00Z\"")
            .replace("\"running\"", "\"paused\"");
    host.on("/v2/sandboxes", 200, "[" + paused + "]");
    host.on("/sandboxes/abc", 200, paused);
    String list = host.run("sandbox", "ls").out();
    assertTrue(list.endsWith(" -\n"), list);
    String shown = host.run("sandbox", "show", "abc").out();
    assertTrue(shown.contains("Paused") && !shown.contains("Ends"), shown);
  }

  @Test
  void listIsAnAlignedTable() {
    host.on("/v2/sandboxes", 200, "[" + Answers.sandbox("abc", "") + "]");
    String[] lines = host.run("sandbox", "ls").out().split("\n", -1);
    assertEquals(
        "SANDBOX  TEMPLATE  STATE    CPU  MEMORY   STARTED   ENDS   NAME",
        lines[0].replaceAll("STARTED +", "STARTED   "));
    assertEquals(lines[0].indexOf("MEMORY"), lines[1].indexOf("256 MiB"));
    assertTrue(lines[1].endsWith("never  -"), lines[1]);
    assertEquals("abc\n", host.run("sandbox", "list", "-q").out());
  }

  @Test
  void aGuestThatWaitsForADiskIsShownSo() {
    String full = ",\"standstill\":\"no-space\",\"stateDetail\":\"no space left on /x; delete\"";
    host.on(
        "/v2/sandboxes",
        200,
        "[%s,%s]"
            .formatted(
                Answers.sandbox("a", full),
                Answers.sandbox("b", ",\"standstill\":\"disk-error\"")));
    host.on("/sandboxes/a", 200, Answers.sandbox("a", full));
    String[] lines = host.run("sandbox", "ls").out().split("\n", -1);
    assertTrue(lines[1].contains(" running (no space) "), lines[1]);
    assertTrue(lines[2].contains(" failed (disk error) "), lines[2]);
    String shown = host.run("sandbox", "show", "a").out();
    assertTrue(shown.contains("running (no space): no space left on /x; delete"), shown);
  }

  @Test
  void createPrintsWarningsWhereScriptsDoNotRead() {
    host.on("/sandboxes", 201, Answers.sandbox("abc", ",\"warnings\":[\"much memory\"]"));
    FakeHost.Outcome done = host.run("sandbox", "create");
    assertEquals("abc\n", done.out());
    assertTrue(done.err().contains("warning: much memory\n"), done.err());
  }

  @Test
  void listFollowsPages() {
    host.on(
        "/v2/sandboxes",
        (exchange, body) -> {
          boolean first = exchange.getRequestURI().getQuery().equals("state=running");
          if (first) {
            exchange.getResponseHeaders().set("x-next-token", "p 2");
          }
          FakeHost.answer(exchange, 200, "[" + Answers.sandbox(first ? "one" : "two", "") + "]");
        });
    assertEquals("one\ntwo\n", host.run("sandbox", "ls", "-q", "--state", "running").out());
    assertEquals("/v2/sandboxes?state=running&nextToken=p%202", host.requests.get(1).uri());
  }

  @Test
  void killGoesOnAfterAFailureAndReportsIt() {
    host.on("/sandboxes/bad", 404, Answers.error(404, "NOT_FOUND", "sandbox not found: bad", ""));
    host.on("/sandboxes/good", 204, "");
    FakeHost.Outcome done = host.run("sandbox", "rm", "--yes", "bad", "good");
    assertEquals(3, done.status());
    assertEquals("good\n", done.out());
    assertTrue(done.err().startsWith("error: sandbox not found: bad\n"), done.err());
  }

  @Test
  void cloneAndRollbackSayWhatTheyDid() {
    host.on(
        "/sandboxes/a/clone",
        201,
        "{\"sandboxes\":[%s,%s],\"capture\":%s,\"totalMs\":12.5}"
            .formatted(Answers.sandbox("b", ""), Answers.sandbox("c", ""), Answers.CAPTURE));
    host.on(
        "/sandboxes/a/rollback",
        200,
        "{\"sandboxID\":\"a\",\"snapshotID\":\"s\",\"operationID\":\"o\",\"status\":\"READY\","
            + "\"totalMs\":250.0}");
    assertEquals("b\nc\n", host.run("sandbox", "clone", "a", "-n", "2", "-c", "1").out());
    assertEquals("{\"count\":2,\"concurrency\":1}", host.requests.get(0).text());
    assertEquals("a is at s after 250 ms\n", host.run("sandbox", "rollback", "a", "s").out());
    assertEquals("{\"snapshotID\":\"s\"}", host.requests.get(1).text());
  }

  @Test
  void forkReportsEachChild() {
    host.on(
        "/sandboxes/a/fork",
        201,
        "[{\"sandbox\":%s},{\"error\":%s}]"
            .formatted(
                Answers.sandbox("b", ""), Answers.error(507, "NO_SPACE", "full", "delete some")));
    FakeHost.Outcome done = host.run("sandbox", "fork", "a", "-n", "2");
    assertEquals("b\n", done.out());
    assertEquals("error: full\n  delete some\n", done.err());
    assertEquals(5, done.status());
    assertEquals(5, host.run("sandbox", "fork", "a", "-n", "2", "--json").status());
  }

  @Test
  void aTimeoutIsSetAndShown() {
    host.on("/sandboxes/web/timeout", 204, "");
    host.on("/sandboxes/web", 200, Answers.sandbox("abc", ",\"endAt\":\"2999-01-01T00:00:00Z\""));
    FakeHost.Outcome set = host.run("sandbox", "timeout", "web", "2h");
    assertTrue(set.out().matches("2999-01-01T00:00:00Z \\(in \\d+d\\)\n"), set.out() + set.err());
    assertEquals("{\"timeout\":7200}", host.requests.get(0).text());
    host.remove("/sandboxes/web");
    host.on("/sandboxes/web", 200, Answers.sandbox("abc", ""));
    assertEquals("never\n", host.run("sandbox", "timeout", "web", "never").out());
    assertEquals("{\"timeout\":-1}", host.requests.get(2).text());
    host.remove("/sandboxes/web");
    host.on("/sandboxes/web", 200, Answers.sandbox("abc", "").replace("running", "paused"));
    assertEquals(
        "paused; the time counts from when it is resumed: 90s\n",
        host.run("sandbox", "timeout", "web", "90s").out());
    int before = host.requests.size();
    FakeHost.Outcome wrong = host.run("sandbox", "timeout", "web", "soon");
    assertEquals(2, wrong.status());
    assertTrue(wrong.err().startsWith("error: TIME is not a time: soon\n"), wrong.err());
    assertEquals(before, host.requests.size());
    assertEquals(3, host.run("sandbox", "timeout", "none", "1h").status());
  }
}
