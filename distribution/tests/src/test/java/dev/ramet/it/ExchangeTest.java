// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static dev.ramet.it.ExchangeGround.TELL;
import static dev.ramet.it.ExchangeGround.TOLD;
import static dev.ramet.it.Refusals.refused;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.snapshots.NewSnapshot;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.it.Installed.Run;
import dev.ramet.spi.storage.image.CopyProgress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Checks that snapshots exported from one host run on another. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ExchangeTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  @AutoClose @RegisterExtension private final ExchangeGround exchange = ExchangeGround.make();

  private final Ground ground = exchange.ground();
  private final Path place = exchange.place();
  private final Path exported = exchange.exported();

  @Test
  void anExportIsSparseFilesWithTheirDigests() throws Exception {
    JsonNode record = JSON.readTree(exported.resolve("export.json").toFile());
    Set<String> named = new LinkedHashSet<>(List.of("export.json"));
    for (JsonNode item : record.path("files")) {
      Path file = exported.resolve(item.path("path").asText());
      assertEquals(Files.size(file), item.path("sizeBytes").asLong());
      if (!file.endsWith("disk.raw")) { // hashing a GiB of holes takes seconds
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
        for (String id : Trees.names(root.resolve("sandboxes"))) {
          assertEquals(0, host.run("sandbox", "rm", id).status());
        }
      }
      Run check = host.run("storage", "check");
      assertEquals(0, check.status(), check.out() + check.err());
    } finally {
      Trees.delete(root);
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
    assertEquals(TOLD + "\n", told.out(), told.err());
    // An imported snapshot's sandbox can be captured and exported like any other.
    assertEquals(0, host.run("snapshot", "create", id, "--name", "second").status());
    Path second = place.resolve("second");
    Run exportedAgain = host.run("storage", "export", "second", second.toString(), "--json");
    assertEquals(0, exportedAgain.status(), exportedAgain.err());
    JsonNode answer = JSON.readTree(exportedAgain.out());
    assertEquals(second.toString(), answer.path("directory").asText());
    assertEquals("snapshot", answer.path("kind").asText());
    assertEquals(4, host.run("storage", "import", second.toString()).status(), "name taken");
    Trees.delete(second);
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
    while (Trees.names(place).size() == 1 && command.isAlive()) {
      assertTrue(System.nanoTime() < end, "nothing is written");
      Thread.sleep(5);
    }
    command.destroy(); // as Ctrl-C does
    assertTrue(command.waitFor(30, TimeUnit.SECONDS));
    while (Trees.names(place).size() != 1) {
      assertTrue(System.nanoTime() < end, "it goes on: " + Trees.names(place));
      Thread.sleep(50);
    }
  }

  @Test
  void aTemplateComesBackAsOne() throws Exception {
    Path directory = place.resolve("template");
    assertTrue(exchange.export(Ground.TEMPLATE, directory).template());
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
      Trees.delete(directory);
    }
  }

  @Test
  void whatCannotBeExportedIsRefused() throws Exception {
    Path free = place.resolve("free");
    refused(ErrorCode.NOT_FOUND, () -> exchange.export("nothing", free));
    refused(ErrorCode.NOT_FOUND, () -> exchange.export("start", free.resolve("deeper")));
    refused(ErrorCode.INVALID_ARGUMENT, () -> exchange.export("start", Path.of("relative")));
    refused(
        ErrorCode.INVALID_ARGUMENT, () -> exchange.export("start", ground.root().resolve("free")));
    refused(
        ErrorCode.INVALID_ARGUMENT, () -> exchange.export("start", ground.dataRoot().resolve("x")));
    String before = Files.getLastModifiedTime(exported).toString();
    refused(ErrorCode.ALREADY_EXISTS, () -> exchange.export("start", exported));
    assertEquals(before, Files.getLastModifiedTime(exported).toString());
    Path link = Files.createSymbolicLink(free, place.resolve("nowhere"));
    refused(ErrorCode.ALREADY_EXISTS, () -> exchange.export("start", link));
    Files.delete(link);
    assertEquals(List.of("start"), Trees.names(place));
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
                        RametException.class,
                        () -> exchange.export("young", place.resolve("young")))));
    ground
        .engine()
        .snapshots()
        .create(NewSnapshot.named(exchange.sandboxId(), "young").withoutWaiting());
    ground.engine().snapshots().await("young", Duration.ofMinutes(1));
    assertEquals(ErrorCode.CONFLICT, refusals.get(0).code(), refusals.toString());
    ground.engine().snapshots().delete("young", false);
  }

  @Test
  void aSnapshotThatIsDeletedStaysUntilItIsOut() throws Exception {
    SortedSet<String> before = ground.files();
    exchange.load("doomed");
    ground.steps().doAt("export.disk", () -> ground.engine().snapshots().delete("doomed", false));
    Path target = place.resolve("doomed");
    exchange.export("doomed", target);
    ground.steps().resetWhenDone();
    // It is complete: importing compares every byte.
    ground.engine().storage().importFrom(target, "back", CopyProgress.NONE);
    ground.engine().snapshots().delete("back", false);
    Trees.delete(target);
    assertEquals(before, ground.files());
  }
}
