// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.api.ErrorCode;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class CommandsTest {
  private FakeHost host;

  @BeforeEach
  void start() throws Exception {
    host = new FakeHost();
  }

  @AfterEach
  void stop() {
    host.close();
  }

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
  void jsonIsPassedOnToTheByte() {
    String odd = Answers.sandbox("abc", ",\"unknown\" : [1.50, {}]");
    host.on("/sandboxes", 201, odd);
    assertEquals(odd + "\n", host.run("sandbox", "create", "--json").out());
    assertEquals(odd + "\n", host.run("sandbox", "show", "abc", "--json").out());
  }

  @Test
  void listIsAnAlignedTable() {
    host.on("/v2/sandboxes", 200, "[" + Answers.sandbox("abc", "") + "]");
    String[] lines = host.run("sandbox", "ls").out().split("\n", -1);
    assertEquals(
        "SANDBOX  TEMPLATE  STATE    CPU  MEMORY   STARTED   ENDS",
        lines[0].replaceAll("STARTED +", "STARTED   "));
    assertEquals(lines[0].indexOf("MEMORY"), lines[1].indexOf("256 MiB"));
    assertTrue(lines[1].endsWith("never"), lines[1]);
    assertEquals("abc\n", host.run("sandbox", "list", "-q").out());
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
    FakeHost.Outcome done = host.run("sandbox", "rm", "bad", "good");
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
  void aSnapshotThatWasThere() {
    host.on("/sandboxes/a/snapshots", 200, Answers.snapshot("s1", "a"));
    assertEquals("s1\n", host.run("snapshot", "create", "a", "--if-changed").out());
    assertEquals("{\"ifChanged\":true}", host.requests.get(0).text());
  }

  @Test
  void snapshots() {
    host.on("/sandboxes/a/snapshots", 201, Answers.snapshot("s1", "a"));
    host.on("/snapshots", 200, "[" + Answers.snapshot("s1", "a") + "]");
    host.on("/snapshots/s1", 200, Answers.snapshot("s1", "a"));
    host.on("/snapshots/s1/fork", 201, Answers.sandbox("x", ""));
    assertEquals("s1\n", host.run("snapshot", "create", "a", "--name", "before").out());
    assertEquals("{\"name\":\"before\"}", host.requests.get(0).text());
    host.run("snapshot", "create", "a", "--verify");
    assertEquals("{\"verify\":true}", host.requests.remove(1).text());
    assertTrue(host.run("snapshot", "ls").out().contains("1.5 MiB"));
    String shown = host.run("snapshot", "show", "s1").out();
    assertTrue(shown.contains("soft-dirty: every write is seen"), shown);
    assertTrue(shown.contains("1 MiB of 256 MiB"), shown);
    assertTrue(shown.contains("all pass"), shown);
    assertTrue(shown.contains("4 MiB in 2 rounds"), shown);
    // Of the pause, then of the whole; each phase once.
    String[] times = shown.substring(shown.indexOf("Paused for")).split("\n", -1);
    assertEquals("disk", times[1].trim().split(" ", 2)[0]);
    assertTrue(times[2].startsWith("Took"), shown);
    assertEquals("write", times[3].trim().split(" ", 2)[0]);
    assertTrue(times[4].isEmpty(), shown);
    assertEquals(
        "x\n", host.run("snapshot", "fork", "s1", "--memory", "512", "--mode", "full").out());
    assertEquals("{\"memoryMB\":512,\"memoryMode\":\"full\"}", host.requests.get(3).text());
    host.on("/snapshots/s1/diff/s2", 200, Answers.DIFF);
    String differs = host.run("snapshot", "diff", "s1", "s2", "--ranges", "1").out();
    assertTrue(differs.contains("memory  8 KiB    2      1"), differs);
    assertTrue(differs.endsWith("memory 0x1000+0x2000\n"), differs);
    assertEquals("/snapshots/s1/diff/s2?limit=1", host.requests.get(4).uri());
    host.requests.remove(4);
    assertTrue(shown.contains("s0, in-place: nobody reads it"), shown);
    host.on("/sandboxes/a/pause", 204, "");
    host.run("sandbox", "pause", "a", "--mode", "full");
    assertEquals("{\"memory\":true,\"memoryMode\":\"full\"}", host.requests.get(4).text());
    host.requests.remove(4);
    assertEquals("s1\n", host.run("snapshot", "create", "a", "--no-wait").out());
    assertEquals("/sandboxes/a/snapshots?wait=false", host.requests.get(4).uri());
    assertEquals(0, host.run("snapshot", "wait", "s1", "--timeout", "1m").status());
    assertEquals("/snapshots/s1?wait=true&timeout=60", host.requests.get(5).uri());
    String failed = Answers.snapshot("s2", "a").replace("READY", "FAILED");
    host.on("/snapshots/s2", 200, failed);
    assertEquals(5, host.run("snapshot", "wait", "s2").status());
    assertEquals(0, host.run("snapshot", "rm", "s1").status());
  }

  @Test
  void templatesAreBuiltLineByLine() {
    host.on(
        "/templates",
        200,
        "{\"step\":\"fetching\"}\n{\"step\":\"booting\"}\n{\"template\":"
            + Answers.TEMPLATE
            + "}\n");
    FakeHost.Outcome done = host.run("template", "build", "micro", "--disk", "2G");
    assertEquals("t1\n", done.out());
    assertEquals("- fetching\n- booting\nMade micro in 1.2 s.\n", done.err());
    FakeHost.Request request = host.requests.get(0);
    assertEquals("application/x-ndjson", request.headers().getFirst("Accept"));
    assertEquals("{\"recipe\":\"micro\",\"diskSizeMB\":2048}", request.text());
  }

  @Test
  void aBuildThatFailsHalfWay() {
    host.on(
        "/templates",
        200,
        "{\"step\":\"x\"}\n{\"error\":"
            + Answers.error(500, "HOST_UNFIT", "no xz", "get it")
            + "}\n");
    FakeHost.Outcome done = host.run("template", "build");
    assertEquals(5, done.status());
    assertEquals("- x\nerror: no xz\n  get it\n", done.err());
  }

  @Test
  void aBuildWhoseHostGoesAway() {
    host.on("/templates", 200, "{\"step\":\"x\"}\n");
    assertEquals(6, host.run("template", "build").status());
  }

  @Test
  void versionsAreTaggedAndToldApart() {
    host.on("/templates/tags", 201, "{\"buildID\":\"t2\",\"tags\":[\"stable\"]}");
    assertEquals("t2\n", host.run("template", "tag", "web:v2", "stable", "v3").out());
    assertEquals(
        "{\"target\":\"web:v2\",\"tags\":[\"stable\",\"v3\"]}", host.requests.get(0).text());
    assertEquals(2, host.run("template", "tag", "web:v2").status());
    assertEquals(0, host.run("template", "untag", "web", "stable").status());
    FakeHost.Request removal = host.requests.get(1);
    assertEquals("DELETE", removal.method());
    assertEquals("{\"name\":\"web\",\"tags\":[\"stable\"]}", removal.text());

    String tags =
        "[{\"tag\":\"stable\",\"buildID\":\"t2\",\"createdAt\":\"2020-01-01T00:00:00Z\"}]";
    host.on("/templates/web:v2/tags", 200, tags);
    String table = host.run("template", "tags", "web:v2").out();
    assertTrue(table.startsWith("TAG     TEMPLATE  ASSIGNED\nstable  t2        "), table);
    assertEquals(tags + "\n", host.run("template", "tags", "web:v2", "--json").out());

    String version = Answers.TEMPLATE.replace("\"buildMs\"", "\"tags\":[\"v2\"],\"buildMs\"");
    host.on("/templates", 200, "[" + version + "]");
    assertTrue(host.run("template", "ls").out().contains("micro  v2    t1 "));
    host.on("/templates/image", 200, "{\"template\":" + version + "}\n");
    FakeHost.Outcome made = host.run("template", "build", "--oci", "/i", "--name", "micro:v2");
    assertEquals("Made micro:v2 in 1.2 s.\n", made.err());
  }

  @Test
  void importSendsAbsolutePaths() {
    host.on("/templates/import", 200, "{\"template\":" + Answers.TEMPLATE + "}\n");
    host.run("template", "import", "--name", "x", "--kernel", "/a/../k", "--rootfs", "/r");
    assertEquals(
        "{\"name\":\"x\",\"kernel\":\"/k\",\"rootfs\":\"/r\"}", host.requests.get(0).text());
  }

  @Test
  void anImageIsSentByItsPathWithWhatToDoWithIt() {
    host.on("/templates/image", 200, "{\"template\":" + Answers.TEMPLATE + "}\n");
    host.run(
        "template",
        "build",
        "--oci",
        "/a/../i.tar",
        "--name",
        "w",
        "--start",
        "x y",
        "--disk",
        "4G");
    assertEquals(
        "{\"name\":\"w\",\"image\":\"/i.tar\",\"start\":\"x y\",\"diskSizeMB\":4096}",
        host.requests.get(0).text());
    for (String[] wrong :
        new String[][] {
          {"template", "build", "--oci", "/i"},
          {"template", "build", "micro", "--oci", "/i", "--name", "x"},
          {"template", "build", "micro", "--no-start"}
        }) {
      assertEquals(2, host.run(wrong).status());
    }
    assertEquals(1, host.requests.size());
  }

  @Test
  void doctorExplains() {
    host.on("/doctor", 200, Answers.doctor("DEGRADED", 1L << 30));
    FakeHost.Outcome done = host.run("doctor");
    assertEquals(1, done.status());
    for (String part :
        new String[] {
          "DEGRADED",
          "1 GiB",
          "no qemu; apt-get install qemu-system-x86",
          "acme.jar",
          "it is not a module; make it one",
          "- use XFS"
        }) {
      assertTrue(done.out().contains(part), part + " in " + done.out());
    }
    host.run("doctor", "--refresh");
    assertEquals("/doctor?refresh=true", host.requests.get(1).uri());
  }

  @ParameterizedTest
  @CsvSource({"GOOD,0", "DEGRADED,1", "BROKEN,2"})
  void theVerdictHasAStatus(String verdict, int status) {
    host.on("/doctor", 200, Answers.doctor(verdict, 0));
    assertEquals(status, host.run("doctor").status());
    assertEquals(status, host.run("doctor", "--json").status());
  }

  @ParameterizedTest
  @EnumSource(ErrorCode.class)
  void theStatusIsThatOfTheErrorCode(ErrorCode code) {
    host.on(
        "/sandboxes/a", code.httpStatus(), Answers.error(code.httpStatus(), code.name(), "m", "r"));
    FakeHost.Outcome done = host.run("sandbox", "show", "a");
    assertEquals(code.exitStatus(), done.status());
    assertEquals("error: m\n  r\n", done.err());
    assertEquals("", done.out());
  }

  @Test
  void answersThatAreNotFromRamet() {
    host.on("/sandboxes/a", 404, "<html>");
    assertEquals(3, host.run("sandbox", "show", "a").status());
    host.on("/sandboxes/b", 200, "<html>");
    assertEquals(1, host.run("sandbox", "show", "b").status());
  }

  @Test
  void noHost() {
    String nobody = host.address();
    host.close();
    FakeHost.Outcome done =
        FakeHost.run(Map.of(), new byte[0], "sandbox", "ls", "--server", nobody);
    assertEquals(6, done.status());
    assertEquals(
        "error: no host answers at " + nobody + "\n  start it with: ramet serve\n", done.err());
  }

  @Test
  void theAddressComesFromOptionEnvironmentOrDefault() {
    host.on("/v2/sandboxes", 200, "[]");
    String port = host.address().substring(host.address().lastIndexOf(':') + 1);
    assertEquals(
        0, FakeHost.run(Map.of("RAMET_PORT", port), new byte[0], "sandbox", "ls").status());
    assertEquals(
        0,
        FakeHost.run(
                Map.of("RAMET_SERVER", "http://127.0.0.1:1"),
                new byte[0],
                "--server",
                host.address() + "/",
                "sandbox",
                "ls")
            .status());
    assertEquals(
        2, FakeHost.run(Map.of(), new byte[0], "sandbox", "ls", "--server", "nonsense").status());
  }

  @Test
  void theKeyIsSent() {
    host.on("/v2/sandboxes", 200, "[]");
    FakeHost.run(
        Map.of("RAMET_SERVER", host.address(), "RAMET_API_KEY", "k"), new byte[0], "sandbox", "ls");
    assertEquals("k", host.requests.get(0).headers().getFirst("X-API-KEY"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "sandbox create --timeout soon",
        "sandbox create --memory 1X",
        "sandbox create --memory 99999999999",
        "sandbox create --bogus",
        "sandbox show",
        "sandbox",
        "nothing",
        "tour --clones 0",
        "sandbox cp a b",
        "sandbox cp a:/x b:/y",
        "sandbox cp a: y"
      })
  void badInputIsRefusedBeforeAnythingIsAsked(String line) {
    host.on("/", 200, "{}");
    FakeHost.Outcome done = host.run(line.split(" ", -1));
    assertEquals(2, done.status(), done.err());
    assertEquals(0, host.requests.size());
    assertTrue(!done.err().isEmpty());
  }

  @Test
  void everyCommandHasHelpWithExamples() {
    everyCommandHasHelp(Main.commandLine(Objects.requireNonNull(context())), "ramet");
  }

  static Context context() {
    return new Context(
        java.io.InputStream.nullInputStream(),
        java.io.OutputStream.nullOutputStream(),
        java.io.OutputStream.nullOutputStream(),
        Map.of(),
        dev.ramet.cli.term.Terminal.NONE);
  }

  private static void everyCommandHasHelp(picocli.CommandLine command, String path) {
    String usage = command.getUsageMessage();
    if (!path.equals("ramet")) {
      assertTrue(usage.contains("Examples:"), path);
    }
    assertTrue(usage.toLowerCase(Locale.ROOT).contains("--help"), path);
    command.getSubcommands().forEach((name, sub) -> everyCommandHasHelp(sub, path + " " + name));
  }
}
