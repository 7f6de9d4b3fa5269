// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ramet.api.ErrorCode;
import dev.ramet.api.RametException;
import dev.ramet.engine.NewSnapshot;
import dev.ramet.engine.Sandbox;
import dev.ramet.engine.Storage;
import dev.ramet.it.Installed.Run;
import dev.ramet.spi.storage.CopyProgress;
import dev.ramet.spi.storage.StorageFinding;
import dev.ramet.testing.LoopFs;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.function.Executable;

/** Snapshots leave a host, and go on in another one. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ExchangeTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  // A process that tells a variable when asked through a pipe.
  private static final String KEEPER =
      "mkfifo /tmp/ask /tmp/answer; setsid sh -c 'v=secret; "
          + "while read q < /tmp/ask; do echo $v > /tmp/answer; done' >/dev/null 2>&1 &";
  private static final String TELL =
      "cat /root/file /tmp/file; echo tell > /tmp/ask; cat /tmp/answer";

  private Ground ground;
  private Path place;
  private Path exported;
  private String sandboxId;

  @BeforeAll
  void export() throws Exception {
    ground = Ground.make();
    place = Files.createTempDirectory("ramet-it-exchange-");
    exported = place.resolve("start");
    Sandbox sandbox = ground.create();
    sandboxId = sandbox.id();
    GuestShell shell = ground.shell(sandboxId);
    shell.run("echo disk > /root/file && sync && echo memory > /tmp/file; " + KEEPER);
    assertEquals("disk\nmemory\nsecret", shell.run(TELL));
    ground.engine().snapshots().create(sandboxId, "start");
    Storage.Exchanged done = export("start", exported);
    assertEquals(exported, done.directory());
    assertFalse(done.template());
  }

  @AfterAll
  void clear() throws Exception {
    ground.close();
    assertEquals(List.of("start"), names(place), "nothing is left of what failed");
    delete(place);
  }

  @AfterEach
  void reset() {
    ground.steps().reset();
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> tree = Files.walk(directory)) {
      for (Path path : tree.sorted(java.util.Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }

  private static List<String> names(Path directory) throws IOException {
    try (Stream<Path> all = Files.list(directory)) {
      return all.map(path -> path.getFileName().toString()).sorted().toList();
    }
  }

  private Storage.Exchanged export(String name, Path directory) {
    return ground.engine().storage().exportTo(name, directory, CopyProgress.NONE);
  }

  private Storage.Exchanged load(String name) {
    return ground.engine().storage().importFrom(exported, name, CopyProgress.NONE);
  }

  private static RametException refused(ErrorCode code, Executable action) {
    RametException e = assertThrows(RametException.class, action);
    assertEquals(code, e.code(), e.toString());
    return e;
  }

  private void assertWell() {
    assertEquals(
        List.of(),
        ground.engine().storage().check(false).findings().stream()
            .map(StorageFinding::toString)
            .toList());
  }

  @Test
  void anExportIsSparseFilesWithTheirDigests() throws Exception {
    JsonNode record = JSON.readTree(exported.resolve("export.json").toFile());
    Set<String> named = new LinkedHashSet<>(List.of("export.json"));
    for (JsonNode item : record.path("files")) {
      Path file = exported.resolve(item.path("path").asText());
      assertEquals(Files.size(file), item.path("sizeBytes").asLong());
      if (!file.endsWith("disk.raw")) { // a GiB of holes, for which it takes seconds
        assertEquals(sha256(file), item.path("sha256").asText(), file.toString());
      }
      named.add(exported.relativize(file).toString());
    }
    try (Stream<Path> all = Files.walk(exported)) {
      for (Path file : all.filter(Files::isRegularFile).toList()) {
        assertTrue(named.remove(exported.relativize(file).toString()), file.toString());
      }
    }
    assertEquals(Set.of(), named);
    Process du = new ProcessBuilder("du", "-sm", exported.toString()).start();
    String said = new String(du.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    long mebibytes = Long.parseLong(said.split("\t", 2)[0]);
    assertTrue(mebibytes < 400, "holes are kept: " + said);
  }

  private static String sha256(Path file) throws Exception {
    Process sum = new ProcessBuilder("sha256sum", file.toString()).start();
    String said = new String(sum.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    assertEquals(0, sum.waitFor());
    return said.substring(0, 64);
  }

  @Test
  void anotherHostGoesOnWhereTheFirstOneStopped() throws Exception {
    Path root = Files.createTempDirectory("ramet-it-other-");
    Map<String, String> settings =
        Map.of(
            "RAMET_STORAGE_PROVISION", "OFF",
            "RAMET_STORAGE_BACKEND", "byte-copy",
            "RAMET_EXCHANGE_DIRECTORIES", place.toString());
    try (Installed host = Installed.serve(root, settings)) {
      try {
        theOtherHost(host);
      } finally {
        for (String id : names(root.resolve("sandboxes"))) {
          assertEquals(0, host.run("sandbox", "rm", id).status());
        }
      }
      Run check = host.run("storage", "check");
      assertEquals(0, check.status(), check.out() + check.err());
    } finally {
      delete(root);
    }
  }

  private void theOtherHost(Installed host) throws Exception {
    Run imported = host.run("storage", "import", exported.toString());
    assertEquals(0, imported.status(), imported.err());
    assertTrue(imported.err().startsWith("Imported snapshot start: "), imported.err());
    Run created = host.run("sandbox", "create", "-t", imported.out().strip());
    assertEquals(0, created.status(), created.err());
    String id = created.out().strip();
    Run told = host.run("sandbox", "exec", id, "--", "sh", "-c", TELL);
    assertEquals("disk\nmemory\nsecret\n", told.out(), told.err());
    // What came from elsewhere is captured, and leaves, like what was taken here.
    assertEquals(0, host.run("snapshot", "create", id, "--name", "second").status());
    Path second = place.resolve("second");
    Run exportedAgain = host.run("storage", "export", "second", second.toString(), "--json");
    assertEquals(0, exportedAgain.status(), exportedAgain.err());
    JsonNode answer = JSON.readTree(exportedAgain.out());
    assertEquals(second.toString(), answer.path("directory").asText());
    assertEquals("snapshot", answer.path("kind").asText());
    assertEquals(4, host.run("storage", "import", second.toString()).status(), "name taken");
    delete(second);
    aStoppedCommandLeavesNothing(host);
    Path elsewhere = place.resolveSibling("ramet-it-elsewhere");
    Run outside = host.run("storage", "export", "second", elsewhere.toString());
    assertEquals(2, outside.status());
    assertTrue(outside.err().contains("ramet.exchange-directories"), outside.err());
  }

  private void aStoppedCommandLeavesNothing(Installed host) throws Exception {
    Path target = place.resolve("stopped");
    Process command = host.start("storage", "export", "second", target.toString());
    long end = System.nanoTime() + 30_000_000_000L;
    while (names(place).size() == 1 && command.isAlive()) {
      assertTrue(System.nanoTime() < end, "nothing is written");
      Thread.sleep(5);
    }
    command.destroy(); // as Ctrl-C does
    assertTrue(command.waitFor(30, TimeUnit.SECONDS));
    while (names(place).size() != 1) {
      assertTrue(System.nanoTime() < end, "it goes on: " + names(place));
      Thread.sleep(50);
    }
  }

  @Test
  void aTemplateComesBackAsOne() throws Exception {
    Path directory = place.resolve("template");
    assertTrue(export(Ground.TEMPLATE, directory).template());
    try {
      RametException taken =
          refused(
              ErrorCode.ALREADY_EXISTS,
              () -> ground.engine().storage().importFrom(directory, null, CopyProgress.NONE));
      assertTrue(String.valueOf(taken.remedy()).contains("--name"), taken.remedy());
      ground.engine().storage().importFrom(directory, "again", CopyProgress.NONE);
      Sandbox sandbox = ground.create("again");
      assertEquals("here", ground.shell(sandbox.id()).run("echo here"));
      ground.engine().sandboxes().kill(sandbox.id());
      assertTrue(ground.engine().templates().get("again").warm());
      ground.engine().templates().delete("again");
    } finally {
      delete(directory);
    }
  }

  @Test
  void whatCannotBeExportedIsRefused() throws Exception {
    Path free = place.resolve("free");
    refused(ErrorCode.NOT_FOUND, () -> export("nothing", free));
    refused(ErrorCode.NOT_FOUND, () -> export("start", free.resolve("deeper")));
    refused(ErrorCode.INVALID_ARGUMENT, () -> export("start", Path.of("relative")));
    refused(ErrorCode.INVALID_ARGUMENT, () -> export("start", ground.root().resolve("free")));
    refused(ErrorCode.INVALID_ARGUMENT, () -> export("start", ground.dataRoot().resolve("x")));
    String before = Files.getLastModifiedTime(exported).toString();
    refused(ErrorCode.ALREADY_EXISTS, () -> export("start", exported));
    assertEquals(before, Files.getLastModifiedTime(exported).toString());
    Path link = Files.createSymbolicLink(free, place.resolve("nowhere"));
    refused(ErrorCode.ALREADY_EXISTS, () -> export("start", link));
    Files.delete(link);
    assertEquals(List.of("start"), names(place));
  }

  @Test
  void aSnapshotThatIsBeingWrittenIsNotYetThere() throws Exception {
    List<RametException> refusals = new ArrayList<>();
    ground
        .steps()
        .doAt(
            "snapshot.write",
            () ->
                refusals.add(
                    assertThrows(
                        RametException.class, () -> export("young", place.resolve("young")))));
    ground.engine().snapshots().create(new NewSnapshot(sandboxId, "young", null, null, false));
    ground.engine().snapshots().await("young", Duration.ofMinutes(1));
    assertEquals(ErrorCode.CONFLICT, refusals.get(0).code(), refusals.toString());
    ground.engine().snapshots().delete("young", false);
  }

  @Test
  void aSnapshotThatIsDeletedStaysUntilItIsOut() throws Exception {
    SortedSet<String> before = ground.files();
    load("doomed");
    ground.steps().doAt("export.disk", () -> ground.engine().snapshots().delete("doomed", false));
    Path target = place.resolve("doomed");
    export("doomed", target);
    // It is whole: every byte is compared when it comes back.
    ground.engine().storage().importFrom(target, "back", CopyProgress.NONE);
    ground.engine().snapshots().delete("back", false);
    delete(target);
    assertEquals(before, ground.files());
  }

  @Test
  void aFullFileSystemIsNamed() throws Exception {
    Path mount = Files.createTempDirectory("ramet-it-small-");
    try (LoopFs small = LoopFs.ext4(mount, 32 << 20)) {
      RametException full =
          refused(ErrorCode.NO_SPACE, () -> export("start", small.root().resolve("x")));
      assertTrue(full.toString().contains(small.root().toString()), full.toString());
      assertEquals(List.of("lost+found"), names(small.root()));
    }
    Files.deleteIfExists(mount.resolve("mnt"));
    Files.delete(mount);
    assertWell();
  }

  @Test
  void whatWasChangedOnTheWayIsNamedAndNotTakenIn() throws Exception {
    SortedSet<String> before = ground.files();
    for (String name : List.of("disk.raw", "memory.raw", "kernel")) {
      Path file = exported.resolve(name);
      flip(file);
      RametException damaged = refused(ErrorCode.CORRUPT, () -> load("damaged"));
      assertTrue(damaged.toString().contains(file + " is damaged"), damaged.toString());
      flip(file);
    }
    Path devices = exported.resolve("devices");
    Path moved = Files.move(devices, exported.resolve("elsewhere"));
    refused(ErrorCode.CORRUPT, () -> load("damaged"));
    Files.createSymbolicLink(devices, moved);
    refused(ErrorCode.INVALID_ARGUMENT, () -> load("damaged"));
    Files.delete(devices);
    Files.move(moved, devices);
    assertEquals(before, ground.files());
    assertWell();
  }

  @Test
  void holesThatWereLostOnTheWayAreFoundAgain() throws Exception {
    SortedSet<String> before = ground.files();
    Path memory = exported.resolve("memory.raw");
    Path kept = Files.move(memory, place.resolve("kept"));
    try {
      List<String> fill = List.of("cp", "--sparse=never", kept.toString(), memory.toString());
      assertEquals(0, new ProcessBuilder(fill).start().waitFor());
      String id = load("filled").id();
      long[] used = {0};
      ground
          .engine()
          .storage()
          .usage(node -> used[0] += node.id().equals(id + ".memory") ? node.referencedBytes() : 0);
      assertTrue(used[0] > 0 && used[0] < Files.size(kept) * 2 / 3, "it takes " + used[0]);
      Sandbox sandbox = ground.create(id);
      assertEquals("disk\nmemory\nsecret", ground.shell(sandbox.id()).run(TELL));
      ground.engine().sandboxes().kill(sandbox.id());
      ground.engine().snapshots().delete(id, false);
      flip(memory);
      refused(ErrorCode.CORRUPT, () -> load("damaged"));
    } finally {
      Files.move(kept, memory, StandardCopyOption.REPLACE_EXISTING);
    }
    assertEquals(before, ground.files());
  }

  private static void flip(Path file) throws IOException {
    try (RandomAccessFile content = new RandomAccessFile(file.toFile(), "rw")) {
      long at = content.length() / 3;
      content.seek(at);
      int was = content.read();
      content.seek(at);
      content.write(was ^ 1);
    }
  }

  @Test
  void aMachineThatDoesNotFitIsNotRestored() throws Exception {
    Path manifest = exported.resolve("manifest.json");
    Path record = exported.resolve("export.json");
    byte[] goodManifest = Files.readAllBytes(manifest);
    byte[] goodRecord = Files.readAllBytes(record);
    try {
      change(identity -> ((ObjectNode) identity.path("machine")).put("accelerator", "other"));
      String id = load("misfit").id();
      RametException misfit = refused(ErrorCode.UNSUPPORTED, () -> ground.create(id));
      assertTrue(misfit.toString().contains("accelerator is other"), misfit.toString());
      ground.engine().snapshots().delete(id, false);
      change(identity -> identity.put("hypervisor", "acme"));
      RametException unknown = refused(ErrorCode.UNSUPPORTED, () -> load("unknown"));
      assertTrue(unknown.toString().contains("the hypervisor acme"), unknown.toString());
    } finally {
      Files.write(manifest, goodManifest);
      Files.write(record, goodRecord);
    }
    assertWell();
  }

  private void change(java.util.function.Consumer<ObjectNode> change) throws Exception {
    Path manifest = exported.resolve("manifest.json");
    ObjectNode root = (ObjectNode) JSON.readTree(manifest.toFile());
    change.accept((ObjectNode) root.path("identity"));
    byte[] bytes = JSON.writeValueAsBytes(root);
    Files.write(manifest, bytes);
    Path record = exported.resolve("export.json");
    ObjectNode export = (ObjectNode) JSON.readTree(record.toFile());
    for (JsonNode item : export.path("files")) {
      if (item.path("path").asText().equals("manifest.json")) {
        ((ObjectNode) item)
            .put("sizeBytes", bytes.length)
            .put(
                "sha256",
                HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes)));
      }
    }
    JSON.writeValue(record.toFile(), export);
  }

  private List<String> steps(Runnable operation) {
    ground.steps().reset();
    operation.run();
    return ground.steps().seen().stream().distinct().toList();
  }

  @Test
  void whereverItBreaksNothingIsLeft() throws Exception {
    SortedSet<String> before = ground.files();
    Path target = place.resolve("broken");
    List<String> exporting = steps(() -> export("start", target));
    delete(target);
    for (String step : exporting) {
      ground.steps().breakAt(step, 0);
      assertThrows(StepRecorder.Broken.class, () -> export("start", target), step);
      assertEquals(List.of("start"), names(place), step);
      assertEquals(before, ground.files(), step);
    }
    List<String> importing = steps(() -> load("broken"));
    ground.engine().snapshots().delete("broken", false);
    for (String step : importing.stream().filter(s -> s.startsWith("import.")).toList()) {
      ground.steps().breakAt(step, 0);
      assertThrows(StepRecorder.Broken.class, () -> load("broken"), step);
      assertEquals(before, ground.files(), step);
    }
    ground.steps().reset();
    load("broken");
    ground.engine().snapshots().delete("broken", false);
    assertEquals(before, ground.files());
  }

  @Test
  void whatIsStoppedLeavesNothing() throws Exception {
    SortedSet<String> before = ground.files();
    CopyProgress stop = (done, total) -> done < total / 2;
    refused(
        ErrorCode.CANCELLED,
        () -> ground.engine().storage().exportTo("start", place.resolve("stopped"), stop));
    refused(
        ErrorCode.CANCELLED, () -> ground.engine().storage().importFrom(exported, "stop", stop));
    assertEquals(List.of("start"), names(place));
    assertEquals(before, ground.files());
  }

  @Test
  void aHostThatIsKilledLeavesNothingHalfMade() throws Exception {
    SortedSet<String> before = ground.files();
    Path target = place.resolve("crashed");
    ground.closeEngine();
    try {
      assertEquals(DyingHost.STATUS, dyingHost("export", target, "export.publish"));
      assertFalse(Files.exists(target), "nothing that looks whole");
      assertEquals(2, names(place).size(), names(place).toString());
      assertEquals(DyingHost.STATUS, dyingHost("import", exported, "import.verify"));
      assertEquals(DyingHost.STATUS, dyingHost("import", exported, "import.publish"));
    } finally {
      ground.openEngine();
    }
    assertEquals(List.of("start"), names(place), "the next start takes it back");
    assertEquals(before, ground.files());
    assertWell();
    assertEquals("disk\nmemory\nsecret", ground.shell(sandboxId).run(TELL));
  }

  private int dyingHost(String operation, Path directory, String step) throws Exception {
    Process host =
        Hosts.start(
            "DyingHost", ground.dataRoot().toString(), operation, directory.toString(), step, "0");
    try {
      assertTrue(host.waitFor(2, TimeUnit.MINUTES), "the host hangs");
      return host.exitValue();
    } finally {
      host.destroyForcibly();
    }
  }
}
