// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests which objects count as unneeded, and that only these go. */
final class PruneTest {
  @AutoClose private final FakeHost host = new FakeHost();
  private final List<String> snapshots = new CopyOnWriteArrayList<>();

  @BeforeEach
  void things() {
    host.on(
        "/v2/sandboxes",
        200,
        List.of(
                Answers.sandbox("broken", ",\"stateDetail\":\"no disk\"")
                    .replace("running", "failed"),
                Answers.sandbox("alive", "").replace("\"t1\"", "\"used\""))
            .toString());
    snapshots.add(nameless("orphan", "gone"));
    snapshots.add(nameless("own", "alive"));
    snapshots.add(nameless("used", "gone"));
    snapshots.add(nameless("read", "gone").replace("\"usedBy\":[]", "\"usedBy\":[\"alive\"]"));
    snapshots.add(nameless("writing", "gone").replace("READY", "WRITING"));
    snapshots.add(nameless("old-host", "gone").replace(",\"tags\":[]", ""));
    snapshots.add(Answers.snapshot("named", "gone"));
    host.on(
        "/snapshots",
        (exchange, body) -> FakeHost.answer(exchange, 200, new ArrayList<>(snapshots).toString()));
    host.on(
        "/templates",
        200,
        List.of(
                template("dangling", ",\"tags\":[]"),
                template("tagged", ",\"tags\":[\"v1\"]"),
                template("of-an-old-host", ""),
                template("used", ",\"tags\":[]"))
            .toString());
    for (String kind : List.of("sandboxes", "snapshots", "templates")) {
      host.on("/" + kind + "/", 204, "");
    }
  }

  private static String nameless(String id, String origin) {
    return Answers.snapshot(id, origin)
        .replace("\"names\":[\"before\"]", "\"names\":[],\"tags\":[]");
  }

  private static String template(String id, String more) {
    String json = Answers.TEMPLATE.strip().replace("\"t1\"", "\"" + id + "\"");
    return json.substring(0, json.length() - 1) + more + "}";
  }

  private List<String> deleted() {
    return host.requests.stream()
        .filter(request -> request.method().equals("DELETE"))
        .map(FakeHost.Request::uri)
        .toList();
  }

  @Test
  void onlyTheUnneededIsFound() {
    assertEquals("broken\norphan\ndangling\n", host.run("prune", "--dry-run", "-o", "name").out());
    assertTrue(host.run("prune", "--dry-run", "-a", "-o", "name").out().contains("\nown\n"));
    String shown = host.run("prune", "--dry-run").out();
    assertTrue(shown.contains("failed: no disk"), shown);
    assertTrue(shown.endsWith("3 objects, would free 1.5 MiB\n"), shown);
    assertEquals(List.of(), deleted());
  }

  @Test
  void itShowsAndAsksFirst() {
    FakeHost.Outcome none = host.run("prune");
    assertEquals(2, none.status());
    assertTrue(none.err().contains("orphan"), none.err());
    assertEquals(130, host.runAtTerminal("no\n", "prune").status());
    assertEquals(List.of(), deleted());
    FakeHost.Outcome done = host.runAtTerminal("yes\n", "prune");
    assertEquals(0, done.status(), done.err());
    assertTrue(done.err().contains("Remove 3 objects, 1.5 MiB? [y/N] "), done.err());
    assertEquals(
        List.of("/sandboxes/broken", "/snapshots/orphan", "/templates/dangling"), deleted());
  }

  @Test
  void anObjectThatGetsANameMeanwhileStays() {
    try (FakeHost changing = new FakeHost()) {
      int[] asked = {0};
      changing.on("/v2/sandboxes", 200, "[]");
      changing.on("/templates", 200, "[]");
      changing.on("/snapshots/", 204, "");
      changing.on(
          "/snapshots",
          (exchange, body) -> {
            String now = asked[0]++ == 0 ? nameless("a", "gone") : Answers.snapshot("a", "gone");
            FakeHost.answer(exchange, 200, "[" + now + "]");
          });
      FakeHost.Outcome done = changing.run("prune", "--yes");
      assertEquals("kept, because it is needed now or gone: a\n", done.err());
      assertTrue(changing.requests.stream().noneMatch(r -> r.method().equals("DELETE")));
    }
  }

  @Test
  void anErrorOfOneDoesNotKeepTheOthers() {
    host.on("/snapshots/orphan", 409, Answers.error(409, "CONFLICT", "busy", "wait"));
    FakeHost.Outcome done = host.run("prune", "--yes", "-o", "name");
    assertEquals(4, done.status());
    assertEquals("broken\ndangling\n", done.out());
    assertEquals("error: busy\n  wait\n", done.err());
  }
}
