// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static dev.ramet.it.StorageGround.assertKinds;
import static dev.ramet.it.StorageGround.directory;
import static dev.ramet.it.StorageGround.field;
import static dev.ramet.it.StorageGround.findings;
import static dev.ramet.it.StorageGround.old;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ramet.it.Installed.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;

/** Tests the operator's storage commands of the installed programs while a host runs. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class StorageCommandsTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  private StorageGround storage;
  private Ground ground;
  private Path root;
  private Installed host;

  @BeforeAll
  void start() throws Exception {
    storage = StorageGround.make();
    ground = storage.ground();
    root = storage.root();
    host = Installed.serve(ground.dataRoot(), Map.of());
  }

  @AfterAll
  void end() throws Exception {
    if (host != null) {
      host.close();
    }
    storage.close();
  }

  private SortedSet<String> files() throws IOException {
    return RootFiles.of(root);
  }

  private static JsonNode json(Run run) throws IOException {
    return JSON.readTree(run.out());
  }

  /** Returns the findings of a check, by path. */
  private Map<Path, JsonNode> check(int status, String... options) throws Exception {
    List<String> command = new ArrayList<>(List.of("storage", "check", "--json"));
    command.addAll(List.of(options));
    Run run = host.run(command.toArray(new String[0]));
    assertEquals(status, run.status(), run.out() + run.err());
    return findings(run);
  }

  @Test
  @Order(1)
  void aRootThatIsGoodIsCalledGood() throws Exception {
    SortedSet<String> before = files();
    Run run = host.run("storage", "check");
    assertEquals(0, run.status(), run.out() + run.err());
    assertTrue(run.out().endsWith(" images checked: all is well\n"), run.out());
    assertEquals(200, host.request("POST", "/storage/check", null));
    assertEquals(200, host.request("POST", "/storage/gc", null));
    Run nothing = host.run("storage", "gc");
    assertEquals("Nothing is left over.\n", nothing.out());
    assertEquals(before, files());
  }

  @Test
  @Order(2)
  void usageTellsWhatEachImageTakes() throws Exception {
    Run table = host.run("storage", "usage");
    assertEquals(0, table.status(), table.err());
    assertTrue(table.out().contains(storage.good() + ".memory"), table.out());
    assertTrue(table.out().contains("(reflink-xfs): "), table.out());
    long nodes = 0;
    long exclusive = 0;
    JsonNode sums = JSON.createObjectNode();
    for (String line : host.run("storage", "usage", "--json").out().lines().toList()) {
      JsonNode one = JSON.readTree(line);
      if (one.has("node")) {
        nodes++;
        exclusive += one.path("node").path("exclusiveBytes").asLong();
        assertTrue(one.path("node").path("referencedBytes").asLong() > 0, line);
      } else {
        sums = one.path("root");
      }
    }
    // Two images each for the template and the two snapshots, and the disk of the sandbox.
    assertEquals(7, nodes);
    assertEquals(nodes, sums.path("nodes").asLong());
    assertEquals(exclusive, sums.path("exclusiveBytes").asLong());
    assertEquals(root.toString(), sums.path("path").asText());
  }

  private static Path oldDirectory(Path path) throws IOException {
    return old(directory(path, "file"));
  }

  private List<Path> leftovers() throws IOException {
    return List.of(
        oldDirectory(root.resolve("snapshots/.new-s0123456789abcdefghi")),
        oldDirectory(root.resolve("snapshots/.del-s1123456789abcdefghi")),
        oldDirectory(root.resolve("sandboxes/.del-i0123456789abcdefghi")),
        old(Files.createDirectories(root.resolve("sandboxes/i1123456789abcdefghi"))),
        oldDirectory(storage.ofTheSandbox().resolve("vm-99")),
        oldDirectory(ground.dataRoot().resolve(".probe-123456789")),
        Files.createDirectories(root.resolve("volumes/empty")),
        directory(root.resolve("volumes/.new-x"), "x"),
        old(storage.halfWrittenManifest()));
  }

  private List<Path> foreign() throws IOException {
    List<Path> foreign = new ArrayList<>();
    for (String among : List.of("", "sandboxes", "snapshots", "volumes", "builds")) {
      Path directory = Files.createDirectories(root.resolve(among));
      foreign.add(Files.writeString(directory.resolve("notes.txt"), "mine"));
      foreign.add(Files.createDirectories(directory.resolve("of mine")));
      foreign.add(Files.createSymbolicLink(directory.resolve("link"), Path.of("/etc")));
    }
    foreign.add(Files.writeString(storage.ofTheSandbox().resolve("notes.txt"), "mine"));
    foreign.add(Files.writeString(ground.dataRoot().resolve("notes.txt"), "mine"));
    return foreign;
  }

  /** Damages things that are in use; returns the paths that a check reports. */
  private List<Path> damage() throws IOException {
    Path devices = storage.ofTheBad().resolve("devices");
    try (Stream<Path> all = Files.list(devices)) {
      for (Path path : all.toList()) {
        Files.delete(path);
      }
    }
    return List.of(
        storage.shortenDisk(), devices, storage.deleteKernel(), storage.unreadableSnapshot());
  }

  @Test
  @Order(3)
  void everythingIsFoundAndOnlyLeftoversGo() throws Exception {
    List<Path> foreign = foreign();
    List<Path> damage = damage();
    Path kernel = storage.kernelOfTheSandbox();
    Files.delete(kernel);
    List<Path> leftovers = leftovers();
    SortedSet<String> before = files();

    Map<Path, JsonNode> found = check(1);
    assertKinds(found, leftovers, "leftover");
    assertKinds(found, foreign, "foreign");
    assertKinds(found, damage, "damage");
    assertEquals("possible", field(found, kernel, "repair"));
    assertEquals(before, files(), "a look changes nothing");
    Run told = host.run("storage", "check");
    assertEquals(1, told.status());
    assertTrue(told.out().contains("error: damage: " + kernel), told.out());

    Run tried = host.run("storage", "gc", "--dry-run");
    assertEquals(0, tried.status(), tried.err());
    assertTrue(tried.out().contains("would come free"), tried.out());
    assertEquals(before, files(), "nor does trying");

    Run collected = host.run("storage", "gc", "--json");
    assertEquals(0, collected.status(), collected.err());
    assertEquals(leftovers.size(), json(collected).path("findings").size(), collected.out());
    for (Path path : leftovers) {
      assertFalse(Files.exists(path, LinkOption.NOFOLLOW_LINKS), path.toString());
    }
    assertFalse(Files.exists(kernel), "gc makes nothing anew");
    assertThere(foreign);

    found = check(1, "--repair");
    assertEquals("done", field(found, kernel, "repair"));
    assertTrue(Files.exists(kernel));
    assertEquals(foreign.size() + damage.size() + 1L, found.size(), found.toString());
    found = check(1);
    assertFalse(found.containsKey(kernel));
    assertEquals((long) foreign.size() + damage.size(), found.size(), found.toString());
    assertThere(foreign);

    host.close();
    host = Installed.serve(ground.dataRoot(), Map.of());
    assertThere(foreign);
    Run list = host.run("sandbox", "ls", "--json");
    assertEquals("running", json(list).path(0).path("state").asText(), list.out());
    Run exec = host.run("sandbox", "exec", storage.sandbox(), "cat", "/tmp/file");
    assertEquals("kept\n", exec.out(), exec.err());
  }

  private static void assertThere(List<Path> paths) {
    for (Path path : paths) {
      assertTrue(Files.exists(path, LinkOption.NOFOLLOW_LINKS), path.toString());
    }
  }
}
