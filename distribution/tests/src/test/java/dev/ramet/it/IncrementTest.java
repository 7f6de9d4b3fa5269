// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static dev.ramet.it.Refusals.refused;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ramet.engine.Storage;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.start.Engine;
import dev.ramet.engine.start.EngineFactory;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.it.Installed.Run;
import dev.ramet.spi.storage.image.CopyProgress;
import dev.ramet.testing.LoopFs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Tests incremental exports: the difference from an older snapshot leaves a host and is applied
 * elsewhere.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class IncrementTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int AGENT_PORT = 49_983;
  private static final long FS_BYTES = 2L << 30;

  private Ground ground;
  private Path place;
  private Path monday;
  private Path tuesday;
  private Storage.Exchanged whole;
  private Storage.Exchanged increment;
  private TwoDays days;

  @BeforeAll
  void export() throws Exception {
    ground = Ground.make();
    place = Files.createTempDirectory("ramet-it-increment-");
    monday = place.resolve("monday");
    tuesday = place.resolve("tuesday");
    days = TwoDays.of(ground);
    whole = exportSince("monday", null, monday);
    increment = exportSince("tuesday", "monday", tuesday);
  }

  @AfterAll
  void clear() throws Exception {
    ground.close();
    assertEquals(
        List.of("monday", "tuesday"), Trees.names(place), "nothing is left of what failed");
    Trees.delete(place);
  }

  @AfterEach
  void reset() {
    ground.steps().reset();
  }

  private Storage.Exchanged exportSince(String name, @Nullable String since, Path directory) {
    return ground.engine().storage().exportTo(name, since, directory, CopyProgress.NONE);
  }

  private Storage.Exchanged load(Path directory, String name) {
    return ground.engine().storage().importFrom(directory, name, CopyProgress.NONE);
  }

  @Test
  void itIsAsLargeAsWhatChanged() throws Exception {
    assertEquals(ground.engine().snapshots().get("monday").id(), increment.base());
    assertTrue(whole.dataBytes() > 40 << 20, whole.toString());
    assertTrue(increment.sizeBytes() < whole.dataBytes() / 8, increment + " of " + whole);
    assertFalse(Files.exists(tuesday.resolve("kernel")), "which has not changed");
    assertEquals(3, JSON.readTree(tuesday.resolve("export.json").toFile()).path("format").asInt());
    assertEquals(1, JSON.readTree(monday.resolve("export.json").toFile()).path("format").asInt());
  }

  @Test
  void onBtrfsItIsForkedAndGoesBackAsAnIncrement() throws Exception {
    Path mount = Files.createTempDirectory("ramet-it-btrfs-");
    try (LoopFs btrfs = LoopFs.btrfs(mount, FS_BYTES)) {
      Path root = Files.createDirectory(btrfs.root().resolve("data"));
      Path wednesday = place.resolve("wednesday");
      try (Engine other = EngineFactory.open(TestConfig.of(root, 0, step -> {}))) {
        try {
          assertEquals("btrfs", other.storage().usage(node -> {}).get(0).backend());
          SortedSet<String> before = RootFiles.of(root);
          RametException missing =
              refused(
                  ErrorCode.NOT_FOUND,
                  () -> other.storage().importFrom(tuesday, null, CopyProgress.NONE));
          String message = String.valueOf(missing.getMessage());
          assertTrue(message.contains("monday (" + increment.base() + ")"), message);
          assertEquals(before, RootFiles.of(root));

          // Under another name: the content decides.
          String base = other.storage().importFrom(monday, "base", CopyProgress.NONE).id();
          Storage.Exchanged made = other.storage().importFrom(tuesday, null, CopyProgress.NONE);
          assertEquals(base, made.base());
          // The imported snapshot no longer needs the base.
          other.snapshots().delete("base", false);
          assertEquals(1, other.snapshots().list(null).size());
          String id = days.assertHolds(other);
          GuestShell shell = new GuestShell(other.sandboxes().endpoint(id, AGENT_PORT));
          shell.run("echo wednesday > /root/file; sync");
          other.snapshots().create(id, "wednesday");
          other.storage().exportTo("wednesday", "tuesday", wednesday, CopyProgress.NONE);
          Ground.assertWell(other);
        } finally {
          other.sandboxes().list().forEach(one -> other.sandboxes().kill(one.id()));
        }
      }
      // Its base has another id here, where it was made, and is found by name.
      Storage.Exchanged back = load(wednesday, "wednesday");
      assertEquals(ground.engine().snapshots().get("tuesday").id(), back.base());
      Sandbox fork = ground.create("wednesday");
      assertEquals("wednesday", ground.shell(fork.id()).run("cat /root/file"));
      ground.engine().sandboxes().kill(fork.id());
      ground.engine().snapshots().delete("wednesday", false);
      Trees.delete(wednesday);
    }
    Trees.delete(mount);
    ground.assertWell();
  }

  @Test
  void onExt4ItIsCopiedAndAKilledHostLeavesNothing() throws Exception {
    Path mount = Files.createTempDirectory("ramet-it-ext4-");
    // Hashing a disk, holes included, takes seconds with the second compiler and is slow without
    // it.
    Map<String, String> settings =
        Map.of(
            "RAMET_STORAGE_PROVISION", "OFF",
            "RAMET_STORAGE_BACKEND", "byte-copy",
            "RAMET_JAVA_OPTS", "-XX:TieredStopAtLevel=4");
    try (LoopFs ext4 = LoopFs.ext4(mount, FS_BYTES / 4)) {
      Path root = Files.createDirectory(ext4.root().resolve("data"));
      SortedSet<String> before;
      try (Installed host = Installed.serve(root, settings)) {
        assertEquals(0, host.run("storage", "import", monday.toString()).status());
        byCommand(host);
        before = RootFiles.of(root);
        killedInTheMiddle(host, root, before);
      }
      try (Engine other = EngineFactory.open(TestConfig.of(root, 0, step -> {}))) {
        assertEquals("byte-copy", other.storage().usage(node -> {}).get(0).backend());
        assertEquals(before, RootFiles.of(root), "the next start takes it back");
        ext4.fill(24 << 20);
        RametException full =
            refused(
                ErrorCode.NO_SPACE,
                () -> other.storage().importFrom(tuesday, "full", CopyProgress.NONE));
        assertTrue(full.toString().contains(root.toString()), full.toString());
        ext4.unfill();
        assertEquals(before, RootFiles.of(root));
        other.sandboxes().kill(days.assertHolds(other));
        Ground.assertWell(other);
      }
    }
    Trees.delete(mount);
  }

  /** Imports the increment and exports it again unchanged. */
  private void byCommand(Installed host) throws Exception {
    Run made = host.run("storage", "import", tuesday.toString(), "--json");
    assertEquals(0, made.status(), made.err());
    JsonNode answer = JSON.readTree(made.out());
    assertEquals(increment.sizeBytes(), answer.path("sizeBytes").asLong());
    assertTrue(answer.path("dataBytes").asLong() < increment.sizeBytes(), made.out());
    Path again = place.resolve("again");
    Run out = host.run("storage", "export", "tuesday", again.toString(), "--since", "monday");
    assertEquals(0, out.status(), out.err());
    assertTrue(out.err().contains(" since " + answer.path("base").asText() + ": "), out.err());
    // The same pages differ; they are found by content, because nothing shares extents here.
    for (String delta : List.of("disk.delta", "memory.delta")) {
      assertEquals(-1, Files.mismatch(tuesday.resolve(delta), again.resolve(delta)), delta);
    }
    Trees.delete(again);
  }

  private void killedInTheMiddle(Installed host, Path root, SortedSet<String> before)
      throws Exception {
    Process command = host.start("storage", "import", tuesday.toString(), "--name", "killed");
    long end = System.nanoTime() + 60_000_000_000L;
    // The memory image comes last.
    while (RootFiles.of(root).stream()
        .noneMatch(name -> name.endsWith(".memory") && !before.contains(name))) {
      assertTrue(System.nanoTime() < end && command.isAlive(), "nothing is written");
      Thread.sleep(2);
    }
    host.server().destroyForcibly().waitFor();
    assertTrue(command.waitFor(30, TimeUnit.SECONDS));
    assertFalse(RootFiles.of(root).equals(before), "it was in the middle");
  }

  @Test
  void anotherContentIsNotTakenForTheBase() throws Exception {
    SortedSet<String> before = ground.files();
    Path record = tuesday.resolve("export.json");
    byte[] good = Files.readAllBytes(record);
    try {
      ObjectNode root = (ObjectNode) JSON.readTree(good);
      ((ObjectNode) root.at("/base/content/disk")).put("sha256", "0".repeat(64));
      JSON.writeValue(record.toFile(), root);
      RametException other = refused(ErrorCode.CONFLICT, () -> load(tuesday, "other"));
      assertTrue(other.toString().contains("monday"), other.toString());
      assertTrue(other.toString().contains("holds something else"), other.toString());

      // The base is right, but the result differs from the record.
      root = (ObjectNode) JSON.readTree(good);
      for (JsonNode item : root.path("composed")) {
        if (item.path("path").asText().equals("memory.raw")) {
          ((ObjectNode) item).put("sha256", "0".repeat(64));
        }
      }
      JSON.writeValue(record.toFile(), root);
      RametException rotten = refused(ErrorCode.CORRUPT, () -> load(tuesday, "other"));
      assertTrue(rotten.toString().contains("memory.delta"), rotten.toString());
    } finally {
      Files.write(record, good);
    }
    assertEquals(before, ground.files());
    refused(ErrorCode.NOT_FOUND, () -> exportSince("tuesday", "sunday", place.resolve("x")));
    refused(
        ErrorCode.INVALID_ARGUMENT, () -> exportSince("tuesday", "tuesday", place.resolve("x")));
  }

  @Test
  void anIncrementWithDigestsOfWholeImagesIsStillImported() throws Exception {
    Path full = place.resolve("full");
    exportSince("tuesday", null, full);
    Path record = tuesday.resolve("export.json");
    byte[] good = Files.readAllBytes(record);
    try {
      OldIncrement.rewrite(record, monday, full);
      assertNotNull(load(tuesday, "older").base());
      ground.engine().snapshots().delete("older", false);
    } finally {
      Files.write(record, good);
      Trees.delete(full);
    }
  }

  @Test
  void whereverItBreaksOrIsStoppedNothingIsLeft() throws Exception {
    SortedSet<String> before = ground.files();
    Path target = place.resolve("broken");
    for (String step : List.of("export.memory", "export.publish")) {
      ground.steps().breakAt(step, 0);
      assertThrows(StepRecorder.Broken.class, () -> exportSince("tuesday", "monday", target), step);
      assertEquals(List.of("monday", "tuesday"), Trees.names(place), step);
    }
    for (String step : List.of("import.apply", "import.seal", "import.publish")) {
      ground.steps().breakAt(step, 0);
      assertThrows(StepRecorder.Broken.class, () -> load(tuesday, "broken"), step);
      assertEquals(before, ground.files(), step);
    }
    ground.steps().reset();
    CopyProgress stop = (done, total) -> done < total / 2;
    Storage storage = ground.engine().storage();
    refused(ErrorCode.CANCELLED, () -> storage.exportTo("tuesday", "monday", target, stop));
    refused(ErrorCode.CANCELLED, () -> storage.importFrom(tuesday, "stopped", stop));
    assertEquals(List.of("monday", "tuesday"), Trees.names(place));
    assertEquals(before, ground.files());
    // The base stays until the snapshot that builds on it is complete.
    load(monday, "doomed");
    ground.steps().doAt("import.disk", () -> ground.engine().snapshots().delete("doomed", false));
    assertNotNull(load(tuesday, "made").base());
    ground.steps().resetWhenDone();
    ground.engine().snapshots().delete("made", false);
    assertEquals(before, ground.files());
    ground.assertWell();
    assertEquals("4", ground.shell(days.sandboxId()).run(TwoDays.COUNT));
  }
}
