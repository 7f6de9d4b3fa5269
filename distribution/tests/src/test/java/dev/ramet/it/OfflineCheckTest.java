// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static dev.ramet.it.StorageGround.assertKinds;
import static dev.ramet.it.StorageGround.directory;
import static dev.ramet.it.StorageGround.field;
import static dev.ramet.it.StorageGround.findings;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ramet.it.Installed.Run;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;

/** Tests the operator's storage commands of the installed program while no host runs. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class OfflineCheckTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  private StorageGround storage;
  private Ground ground;
  private Path root;
  private Map<String, String> environment;

  @BeforeAll
  void start() throws Exception {
    storage = StorageGround.make();
    ground = storage.ground();
    root = storage.root();
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      environment =
          Map.of(
              "RAMET_DATA_ROOT", ground.dataRoot().toString(),
              "RAMET_PORT", Integer.toString(free.getLocalPort()));
    }
  }

  @AfterAll
  void end() throws Exception {
    storage.close();
  }

  private Run run(String... arguments) throws Exception {
    return Installed.alone(environment, List.of(arguments));
  }

  /** Returns every file below the data root with its size and modification time. */
  private Map<Path, String> content() throws IOException {
    Map<Path, String> content = new TreeMap<>();
    for (Path path : Trees.below(ground.dataRoot())) {
      // The machine is still running and writes there.
      if (Files.isRegularFile(path) && !path.startsWith(root.resolve("sandboxes"))) {
        content.put(path, Files.size(path) + " " + Files.getLastModifiedTime(path));
      }
    }
    content.keySet().removeIf(path -> path.endsWith("pool.xfs.img") || path.endsWith(".lock"));
    return content;
  }

  /** Returns the findings of a check without a host, by path. */
  private Map<Path, JsonNode> check(int status, String... options) throws Exception {
    List<String> command = new ArrayList<>(List.of("storage", "check", "--json"));
    command.addAll(List.of(options));
    Run run = run(command.toArray(new String[0]));
    assertEquals(status, run.status(), run.out() + run.err());
    assertTrue(
        run.err().contains("no host runs; checking " + ground.dataRoot() + " directly"), run.err());
    return findings(run);
  }

  private void refused(int status, String why, String... options) throws Exception {
    List<String> command = new ArrayList<>(List.of("storage", "check"));
    command.addAll(List.of(options));
    Run run = run(command.toArray(new String[0]));
    assertEquals(status, run.status(), run.out() + run.err());
    assertTrue(run.err().contains(why), run.err());
  }

  @Test
  @Order(1)
  void aGoodRootIsCalledGoodAndStaysAsItIs() throws Exception {
    Map<Path, String> before = content();
    assertEquals(Map.of(), check(0));
    Run text = run("storage", "check");
    assertTrue(text.out().endsWith(" images checked: all is well\n"), text.out());
    Run usage = run("storage", "usage");
    assertEquals(0, usage.status(), usage.err());
    assertTrue(usage.out().contains(storage.good() + ".memory"), usage.out());
    assertTrue(usage.out().contains("(reflink-xfs): 7 images"), usage.out());
    assertEquals(before, content());
    assertEquals(1, ground.machines().size(), "its machine runs on");
  }

  @Test
  @Order(2)
  void aHostIsAskedWhereOneRunsAndItsRootIsLeftToIt() throws Exception {
    Run without = run("storage", "check", "--json", "--offline");
    Run usage = run("storage", "usage", "--json", "--offline");
    try (Installed host = Installed.serve(ground.dataRoot(), Map.of())) {
      Run asked = host.run("storage", "check", "--json");
      assertEquals("", asked.err());
      assertEquals(JSON.readTree(asked.out()), JSON.readTree(without.out()));
      List<String> lines = usage.out().lines().toList();
      List<String> same = host.run("storage", "usage", "--json").out().lines().toList();
      assertEquals(same.size(), lines.size());
      assertEquals(
          JSON.readTree(same.get(0)).path("node").path("id"),
          JSON.readTree(lines.get(0)).path("node").path("id"));
      for (String option : List.of("--offline", "--data-root=" + ground.dataRoot())) {
        Run refused = host.run("storage", "check", option);
        assertEquals(4, refused.status(), refused.out() + refused.err());
        assertTrue(refused.err().contains("in use by another process"), refused.err());
        assertTrue(refused.err().contains("--server ADDRESS"), refused.err());
      }
    }
    refused(6, "--offline", "--server", "http://127.0.0.1:" + environment.get("RAMET_PORT"));
  }

  @Test
  @Order(3)
  void whatIsNoRootIsRefusedAndNothingIsMadeThere() throws Exception {
    Path empty = Files.createTempDirectory("ramet-it-");
    refused(3, "not a data root of Ramet", "--data-root", empty.toString());
    assertEquals(List.of(), Trees.below(empty).stream().filter(p -> !p.equals(empty)).toList());
    Files.delete(empty);
    refused(3, "data root not found", "--data-root", empty.toString());
    assertFalse(Files.exists(empty));
  }

  @Test
  @Order(4)
  void aRecordThatCannotBeFollowedIsAnErrorThatSaysWhatToDo() throws Exception {
    Path record = root.resolve("root.json");
    String own = Files.readString(record);
    try {
      Files.writeString(record, own.replace("reflink-xfs", "acme-store"));
      refused(5, "there is no storage backend acme-store");
      refused(5, "install the plugin that brings it");
      Files.writeString(record, own.replace("reflink-xfs", "byte-copy"));
      refused(4, "was made by the backend reflink-xfs, not by byte-copy");
      Files.writeString(record, "{ half");
      refused(5, record + " cannot be read");
    } finally {
      Files.writeString(record, own);
    }
  }

  /** Damages things that are in use; returns the paths that a check reports. */
  private List<Path> damage() throws IOException {
    storage.shortenDisk();
    return List.of(storage.ofTheBad(), storage.deleteKernel(), storage.unreadableSnapshot());
  }

  private List<Path> leftovers() throws IOException {
    return List.of(
        storage.halfWrittenManifest(),
        directory(root.resolve("snapshots/.new-s0123456789abcdefghi"), "file"),
        directory(root.resolve("sandboxes/.del-i0123456789abcdefghi"), "file"),
        directory(root.resolve("volumes/.new-x"), "x"),
        Files.createDirectories(root.resolve("volumes/empty")));
  }

  /** Copies a manifest with another id and value. */
  private Path like(Path directory, String id, String field, Object value) throws IOException {
    ObjectNode manifest = (ObjectNode) JSON.readTree(directory.resolve("manifest.json").toFile());
    manifest.put("id", id).putPOJO(field, value);
    Path copy = Files.createDirectories(directory.resolveSibling(id));
    Files.write(copy.resolve("manifest.json"), JSON.writeValueAsBytes(manifest));
    return copy;
  }

  /**
   * Leaves things that only the start of a host removes, because a machine may run in them or own
   * them.
   */
  private List<Path> atStart() throws IOException {
    Path own = storage.ofTheSandbox();
    return List.of(
        directory(own.resolve("vm-99"), "file"),
        directory(ground.dataRoot().resolve(".probe-123456789"), "file"),
        directory(root.resolve("builds/b0123456789abcdefghi"), "file"),
        like(own, "i3123456789abcdefghi", "state", "CREATING"),
        like(storage.ofTheGood(), "s3123456789abcdefghi", "pending", true));
  }

  @Test
  @Order(5)
  void damageIsFoundAsAHostFindsItAndOnlyLeftoversGo() throws Exception {
    List<Path> damage = damage();
    List<Path> leftovers = leftovers();
    List<Path> atStart = atStart();
    Path foreign = Files.writeString(root.resolve("sandboxes/notes.txt"), "mine");
    Path kernel = storage.kernelOfTheSandbox();
    Files.delete(kernel);
    Map<Path, String> before = content();

    Map<Path, JsonNode> found = check(1);
    assertKinds(found, damage, "damage");
    assertKinds(found, leftovers, "leftover");
    assertKinds(found, atStart, "leftover");
    assertKinds(found, List.of(foreign), "foreign");
    assertEquals("possible", field(found, kernel, "repair"));
    assertEquals(
        damage.size() + leftovers.size() + atStart.size() + 2L, found.size(), found.toString());
    assertEquals(before, content(), "a look changes nothing");
    assertFalse(Files.exists(kernel));

    found = check(1, "--repair");
    assertEquals("done", field(found, kernel, "repair"));
    assertTrue(Files.exists(kernel));
    for (Path path : leftovers) {
      assertEquals("done", field(found, path, "repair"));
      assertFalse(Files.exists(path), path.toString());
    }
    for (Path path : atStart) {
      assertEquals("no", field(found, path, "repair"));
      assertEquals("the next start of a host removes it", field(found, path, "remedy"));
      assertTrue(Files.exists(path), path.toString());
    }

    found = check(1);
    assertEquals(damage.size() + atStart.size() + 1L, found.size(), found.toString());
    try (Installed host = Installed.serve(ground.dataRoot(), Map.of())) {
      for (Path path : atStart) {
        assertFalse(Files.exists(path), path.toString());
        found.remove(path);
      }
      assertEquals(found, findings(host.run("storage", "check", "--json")), "the same findings");
      Run exec = host.run("sandbox", "exec", storage.sandbox(), "cat", "/tmp/file");
      assertEquals("kept\n", exec.out(), exec.err());
    }
  }

  private int dyingRepair(String step) throws Exception {
    Process repair =
        Hosts.start(
            "DyingHost", ground.dataRoot().toString(), "repair", storage.sandbox(), step, "0");
    try {
      assertTrue(repair.waitFor(2, TimeUnit.MINUTES), "the repair hangs");
      return repair.exitValue();
    } finally {
      repair.destroyForcibly();
    }
  }

  /** Deleting a snapshot takes three steps. */
  @Test
  @Order(6)
  void aRepairThatIsKilledIsGoneOnWithByTheNext() throws Exception {
    Path directory = storage.ofTheBad();
    Path manifest = directory.resolve("manifest.json");
    ObjectNode record = (ObjectNode) JSON.readTree(manifest.toFile());
    Files.write(manifest, JSON.writeValueAsBytes(record.put("deleted", true)));
    assertEquals("leftover", field(check(1), directory, "kind"));
    for (String step : List.of("reclaim.memory", "reclaim.disk", "reclaim.manifest")) {
      assertEquals(DyingHost.STATUS, dyingRepair(step), step);
      assertEquals("leftover", field(check(1), directory, "kind"), step);
    }
    assertEquals("done", field(check(1, "--repair"), directory, "repair"));
    assertFalse(Files.exists(directory));
    assertFalse(check(1).containsKey(directory));
  }

  @Test
  @Order(7)
  void aPoolThatIsNotMountedIsMounted() throws Exception {
    ground.openEngine();
    ground.engine().sandboxes().kill(storage.sandbox());
    ground.closeEngine();
    Process unmount = new ProcessBuilder("umount", root.toString()).inheritIO().start();
    assertEquals(0, unmount.waitFor());
    Run run = run("storage", "check", "--json");
    assertEquals(1, run.status(), run.err());
    assertTrue(run.err().contains("mounted " + root), run.err());
    assertKinds(findings(run), List.of(root.resolve("sandboxes/notes.txt")), "foreign");
    assertFalse(run("storage", "check").err().contains("mounted"));
  }
}
