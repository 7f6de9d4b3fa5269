// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The commands that ask a running host about its storage. */
final class StorageCommandsTest {
  private static final String LEFTOVER =
      "{\"severity\":\"warning\",\"kind\":\"leftover\",\"path\":\"/d/.new-x\",\"what\":\"not"
          + " finished\",\"remedy\":\"ramet storage gc removes it\",\"repair\":\"%s\",\"bytes\":4096}";
  private static final String DAMAGE =
      "{\"severity\":\"error\",\"kind\":\"damage\",\"path\":\"/d/disk\",\"what\":\"is gone\","
          + "\"remedy\":\"restore it\",\"repair\":\"no\",\"bytes\":0}";

  private FakeHost host;

  @BeforeEach
  void start() throws Exception {
    host = new FakeHost();
  }

  @AfterEach
  void stop() {
    host.close();
  }

  private static String report(String... findings) {
    return "{\"findings\":["
        + String.join(",", findings)
        + "],\"bytes\":4096,\"snapshots\":2,\"sandboxes\":1,\"nodes\":5}";
  }

  @Test
  void aGoodRootEndsWithStatusZero() {
    host.on("/storage/check", 200, report());
    FakeHost.Outcome done = host.run("storage", "check");
    assertEquals(0, done.status(), done.err());
    assertEquals(
        "2 snapshots and templates, 1 sandboxes, 5 images looked at: all is well\n", done.out());
    assertEquals("{}", host.requests.get(0).text());
  }

  @Test
  void findingsEndWithStatusOneAndSayWhatToDo() {
    host.on("/storage/check", 200, report(LEFTOVER.formatted("possible"), DAMAGE));
    FakeHost.Outcome done = host.run("storage", "check");
    assertEquals(1, done.status());
    assertEquals(
        """
        warning: leftover: /d/.new-x
          not finished (4 KiB)
          ramet storage gc removes it
        error: damage: /d/disk
          is gone
          restore it
        2 snapshots and templates, 1 sandboxes, 5 images looked at: 2 findings
        """,
        done.out());
    FakeHost.Outcome json = host.run("storage", "check", "--json");
    assertEquals(1, json.status());
    assertEquals(report(LEFTOVER.formatted("possible"), DAMAGE) + "\n", json.out());
  }

  @Test
  void whatWasRepairedIsNoFindingAnyMore() {
    host.on("/storage/check", 200, report(LEFTOVER.formatted("done")));
    FakeHost.Outcome done = host.run("storage", "check", "--repair");
    assertEquals(0, done.status(), done.err());
    assertTrue(done.out().endsWith("all is well, 1 repaired\n"), done.out());
    assertEquals("{\"repair\":true}", host.requests.get(0).text());
  }

  @Test
  void collectingShowsWhatGoesAndFailsWhenSomethingStays() {
    host.on("/storage/gc", 200, report(LEFTOVER.formatted("possible")));
    FakeHost.Outcome tried = host.run("storage", "gc", "--dry-run");
    assertEquals(0, tried.status(), tried.err());
    assertEquals("{\"dryRun\":true}", host.requests.get(0).text());
    assertEquals(
        """
        REMOVED  SIZE   WHAT          PATH
        no       4 KiB  not finished  /d/.new-x
        4 KiB would come free.
        """,
        tried.out());
    assertEquals(1, host.run("storage", "gc").status());
  }

  @Test
  void usageIsPrintedAsItComes() {
    String node =
        "{\"node\":{\"root\":\"/d\",\"id\":\"t0123.disk\",\"owner\":\"t0123\",\"ownerName\":\"micro\","
            + "\"sizeBytes\":1048576,\"exclusiveBytes\":0,\"referencedBytes\":4096}}";
    String root =
        "{\"root\":{\"path\":\"/d\",\"backend\":\"btrfs\",\"nodes\":1,\"exclusiveBytes\":0,"
            + "\"usedBytes\":4096,\"totalBytes\":1048576}}";
    host.on("/storage/usage", 200, node + "\n" + root + "\n");
    FakeHost.Outcome done = host.run("storage", "usage");
    assertEquals(0, done.status(), done.err());
    assertEquals(
        """
        IMAGE                              EXCLUSIVE  REFERENCED        SIZE  OF
        t0123.disk                               0 B       4 KiB       1 MiB  micro

        /d (btrfs): 1 images, 0 B not shared; 4 KiB of 1 MiB used
        """,
        done.out());
    assertEquals(node + "\n" + root + "\n", host.run("storage", "usage", "--json").out());
    assertEquals("application/x-ndjson", host.requests.get(0).headers().getFirst("Accept"));
  }

  @Test
  void anErrorInTheMiddleOfAStreamIsAnError() {
    host.on(
        "/storage/usage",
        200,
        "{\"error\":{\"code\":500,\"message\":\"cannot read\",\"error\":\"HOST_UNFIT\"}}\n");
    FakeHost.Outcome done = host.run("storage", "usage");
    assertEquals(5, done.status());
    assertTrue(done.err().contains("cannot read"), done.err());
  }

  private static final String EXCHANGED =
      "{\"id\":\"s1\",\"name\":\"before\",\"kind\":\"snapshot\",\"directory\":\"/b/x\","
          + "\"files\":9,\"sizeBytes\":1073741824,\"dataBytes\":1048576}";

  private static String exchange() {
    return "{\"progress\":{\"doneBytes\":1,\"totalBytes\":2}}\n{\"result\":" + EXCHANGED + "}\n";
  }

  @Test
  void anExportTellsWhereItIs() {
    host.on("/storage/export", 200, exchange());
    FakeHost.Outcome done = host.run("storage", "export", "before", "/b/./x");
    assertEquals(0, done.status(), done.err());
    assertEquals("/b/x\n", done.out());
    assertEquals("Exported snapshot s1: 9 files, 1 GiB, 1 MiB without holes.\n", done.err());
    FakeHost.Request request = host.requests.get(0);
    assertEquals("{\"snapshot\":\"before\",\"directory\":\"/b/x\"}", request.text());
    assertEquals("application/x-ndjson", request.headers().getFirst("Accept"));
    assertEquals(EXCHANGED + "\n", host.run("storage", "export", "a", "b", "--json").out());
    assertTrue(host.requests.get(1).text().contains("\"directory\":\"/"));
  }

  @Test
  void anIncrementTellsWhatItBuildsOn() {
    host.on(
        "/storage/export",
        200,
        "{\"result\":"
            + EXCHANGED.replace("\"directory\"", "\"base\":\"s0\",\"directory\"")
            + "}\n");
    FakeHost.Outcome done = host.run("storage", "export", "tuesday", "/b/x", "--since", "monday");
    assertEquals(0, done.status(), done.err());
    assertEquals(
        "Exported snapshot s1 since s0: 9 files, 1 GiB, 1 MiB without holes.\n", done.err());
    assertEquals(
        "{\"snapshot\":\"tuesday\",\"directory\":\"/b/x\",\"since\":\"monday\"}",
        host.requests.get(0).text());
  }

  @Test
  void anImportTellsTheNewId() {
    host.on("/storage/import", 200, exchange());
    FakeHost.Outcome done = host.run("storage", "import", "/b/x", "--name", "before");
    assertEquals(0, done.status(), done.err());
    assertEquals("s1\n", done.out());
    assertEquals("{\"directory\":\"/b/x\",\"name\":\"before\"}", host.requests.get(0).text());
    assertEquals(EXCHANGED + "\n", host.run("storage", "import", "/b/x", "--json").out());
  }

  @Test
  void anExchangeThatBreaksOffIsAFailure() {
    host.on("/storage/import", 200, "{\"progress\":{\"doneBytes\":1,\"totalBytes\":2}}\n");
    assertEquals(6, host.run("storage", "import", "/b/x").status());
    host.on(
        "/storage/export",
        200,
        "{\"error\":{\"code\":409,\"message\":\"is there\",\"error\":\"ALREADY_EXISTS\"}}\n");
    FakeHost.Outcome taken = host.run("storage", "export", "before", "/b/x");
    assertEquals(4, taken.status());
    assertTrue(taken.err().contains("is there"), taken.err());
  }
}
