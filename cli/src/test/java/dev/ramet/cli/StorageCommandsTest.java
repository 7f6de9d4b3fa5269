// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the storage commands, with a host and on the data root directly. */
final class StorageCommandsTest {
  private static final String LEFTOVER =
      "{\"severity\":\"warning\",\"kind\":\"leftover\",\"path\":\"/d/.new-x\",\"what\":\"not"
          + " finished\",\"remedy\":\"ramet storage gc removes it\",\"repair\":\"%s\",\"bytes\":4096}";
  private static final String DAMAGE =
      "{\"severity\":\"error\",\"kind\":\"damage\",\"path\":\"/d/disk\",\"what\":\"is gone\","
          + "\"remedy\":\"restore it\",\"repair\":\"no\",\"bytes\":0}";

  @TempDir private Path directory;
  @AutoClose private final FakeHost host = new FakeHost();

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
        "2 snapshots and templates, 1 sandboxes, 5 images checked: all is well\n", done.out());
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
        2 snapshots and templates, 1 sandboxes, 5 images checked: 2 findings
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

  private static String closedPort() throws Exception {
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return Integer.toString(free.getLocalPort());
    }
  }

  private static FakeHost.Outcome without(Map<String, String> environment, String... args) {
    return FakeHost.run(environment, new byte[0], args);
  }

  @Test
  void whereNoHostIsNamedAndNoneRunsTheDataRootIsLookedAt() throws Exception {
    Map<String, String> here =
        Map.of("RAMET_PORT", closedPort(), "RAMET_DATA_ROOT", directory.toString());
    FakeHost.Outcome check = without(here, "storage", "check");
    assertEquals(3, check.status(), check.err());
    assertTrue(check.err().startsWith("no host runs; checking " + directory + " directly\n"));
    assertTrue(check.err().contains(directory + " is not a data root of Ramet"), check.err());
    FakeHost.Outcome usage = without(here, "storage", "usage");
    assertEquals(3, usage.status(), usage.err());
    assertEquals("", usage.out());
    assertTrue(usage.err().startsWith("no host runs; looking at " + directory + " directly\n"));
    try (Stream<Path> made = Files.list(directory)) {
      assertEquals(0, made.count(), "nothing is made");
    }
  }

  @Test
  void aNamedHostThatDoesNotRunIsAnErrorThatNamesTheOtherWay() throws Exception {
    String address = "http://127.0.0.1:" + closedPort();
    Map<String, String> root = Map.of("RAMET_DATA_ROOT", directory.toString());
    Map<String, String> named =
        Map.of("RAMET_DATA_ROOT", directory.toString(), "RAMET_SERVER", address);
    for (FakeHost.Outcome refused :
        List.of(
            without(named, "storage", "check"),
            without(root, "storage", "check", "--server", address),
            without(root, "storage", "usage", "--server", address))) {
      assertEquals(6, refused.status(), refused.err());
      assertTrue(refused.err().contains("no host answers at " + address), refused.err());
      assertTrue(refused.err().contains("without a host: --offline"), refused.err());
      assertFalse(refused.err().contains("directly"), refused.err());
    }
  }

  @Test
  void aHostThatAnswersIsNotPassedOver() {
    String port = host.address().replaceAll(".*:", "");
    host.on(
        "/storage/check",
        503,
        "{\"code\":503,\"message\":\"still starting\",\"error\":\"UNAVAILABLE\"}");
    Map<String, String> here = Map.of("RAMET_PORT", port, "RAMET_DATA_ROOT", directory.toString());
    FakeHost.Outcome asked = without(here, "storage", "check");
    assertEquals(6, asked.status());
    assertTrue(asked.err().contains("still starting"), asked.err());
    assertFalse(asked.err().contains("directly"), asked.err());
    for (String option : List.of("--offline", "--data-root=" + directory)) {
      FakeHost.Outcome told = without(here, "storage", "check", option);
      assertEquals(3, told.status(), told.err());
      assertTrue(told.err().contains("is not a data root of Ramet"), told.err());
    }
    assertEquals(1, host.requests.size(), "no host is asked");
  }

  @Test
  void wrongSettingsAreNotLookedPast() {
    FakeHost.Outcome refused =
        without(
            Map.of("RAMET_DATA_ROOT", directory.toString(), "RAMET_MEMORY_VOLUMES", "SOMETIMES"),
            "storage",
            "check",
            "--offline");
    assertEquals(2, refused.status(), refused.err());
    assertTrue(refused.err().contains("run: ramet config check"), refused.err());
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
