// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.Doctor;
import dev.ramet.engine.EngineConfig;
import dev.ramet.engine.OfflineStorage;
import dev.ramet.engine.StepObserver;
import dev.ramet.engine.Storage;
import dev.ramet.engine.sandboxes.CloneRequest;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.start.Engine;
import dev.ramet.engine.start.EngineFactory;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.pluginhost.Selection;
import dev.ramet.spi.storage.image.CopyProgress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests disks and memory images on file systems of different types, each with its own backend. */
final class TwoRootsTest {
  @Test
  void disksOnXfsAndMemoryOnBtrfs() throws Exception {
    try (TwoFileSystems places = TwoFileSystems.xfsAndBtrfs()) {
      theMainJob(places, "reflink-xfs", "btrfs");
    }
  }

  @Test
  void disksCopiedOnExt4AndMemoryOnXfs() throws Exception {
    try (TwoFileSystems places = TwoFileSystems.ext4AndXfs()) {
      theMainJob(places, "byte-copy", "reflink-xfs");
    }
  }

  private static void theMainJob(TwoFileSystems places, String disks, String memory)
      throws Exception {
    try (Ground ground = Ground.make(places.disks(), places.memory())) {
      assertEquals(Map.of("storage", disks, "storage-memory", memory), chosen(ground.engine()));
      Sandbox sandbox = ground.create();
      SortedSet<String> before = volumes(ground);
      ground.shell(sandbox.id()).run("echo one > /tmp/file; echo one > /root/file; sync");
      ground.engine().snapshots().create(sandbox.id(), "one");
      ground.shell(sandbox.id()).run("echo two > /tmp/file; echo two > /root/file; sync");
      ground.engine().snapshots().create(sandbox.id(), "two");
      assertEquals("", misplaced(ground));

      ground.engine().sandboxes().rollback(sandbox.id(), "one");
      assertHolds(ground, sandbox.id(), "one");
      List<Sandbox> clones =
          ground.engine().sandboxes().clone(sandbox.id(), new CloneRequest(2, 2, null)).sandboxes();
      clones.forEach(clone -> assertHolds(ground, clone.id(), "one"));
      clones.forEach(clone -> ground.engine().sandboxes().kill(clone.id()));

      ground.closeEngine();
      try (OfflineStorage resting =
          EngineFactory.openOffline(config(ground.dataRoot(), null, null))) {
        assertEquals(List.of(), resting.check(true).findings());
        assertEquals(
            List.of(disks, memory),
            resting.usage(node -> {}).stream().map(Storage.RootUsage::backend).toList());
      }
      ground.openEngine();
      assertHolds(ground, sandbox.id(), "one");
      ground.engine().sandboxes().rollback(sandbox.id(), "two");
      assertHolds(ground, sandbox.id(), "two");
      Sandbox fresh = ground.create("two");
      assertHolds(ground, fresh.id(), "two");
      ground.engine().sandboxes().kill(fresh.id());

      leavesAndComesBack(ground, "two");
      ground.engine().snapshots().delete("one", false);
      ground.engine().snapshots().delete("two", false);
      // The sandbox rests on the memory image of the second snapshot, which goes with it.
      ground.engine().sandboxes().kill(sandbox.id());
      before.removeIf(name -> name.contains(sandbox.id()));
      assertEquals(before, volumes(ground));
    }
  }

  /** Exports a snapshot from both roots and imports it into both. */
  private static void leavesAndComesBack(Ground ground, String name) throws Exception {
    Path place = Files.createTempDirectory("ramet-it-");
    Storage storage = ground.engine().storage();
    storage.exportTo(name, place.resolve(name), CopyProgress.NONE);
    storage.importFrom(place.resolve(name), "back", CopyProgress.NONE);
    clear(place);
    assertEquals("", misplaced(ground));
    Sandbox back = ground.create("back");
    assertHolds(ground, back.id(), name);
    ground.engine().sandboxes().kill(back.id());
    ground.engine().snapshots().delete("back", false);
  }

  private static void assertHolds(Ground ground, String sandbox, String text) {
    try {
      assertEquals(
          text + "\n" + text, ground.shell(sandbox).run("cat /tmp/file /root/file").strip());
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static Map<String, String> chosen(Engine engine) {
    Map<String, String> chosen = new java.util.TreeMap<>();
    for (Selection selection : engine.doctor().report(false).selections()) {
      if (selection.role().startsWith("storage")) {
        chosen.put(selection.role(), String.valueOf(selection.chosen()));
      }
    }
    return chosen;
  }

  private static SortedSet<String> volumes(Ground ground) throws IOException {
    SortedSet<String> names = new TreeSet<>(ground.files());
    names.removeIf(name -> !name.contains("volumes/"));
    return names;
  }

  /** Returns memory images among the disks, and disks among the memory images. */
  private static String misplaced(Ground ground) throws IOException {
    List<String> files =
        volumes(ground).stream().filter(name -> !name.endsWith("volumes/")).toList();
    assertTrue(files.stream().anyMatch(name -> name.endsWith(".memory")));
    return String.join(
        " ",
        files.stream()
            .filter(
                name ->
                    name.startsWith("memory/") ? name.contains(".disk") : name.contains(".memory"))
            .toList());
  }

  @Test
  void whatWasRecordedIsNeverChosenAgain() throws Exception {
    try (TwoFileSystems places = TwoFileSystems.xfsAndBtrfs()) {
      Path data = Files.createDirectories(places.disks());
      Path memory = places.memory();
      EngineFactory.open(config(data, memory, null)).close();

      refused(ErrorCode.CONFLICT, config(data, memory.resolveSibling("elsewhere"), null));
      refused(ErrorCode.CONFLICT, config(data, memory, "byte-copy"));
      refused(ErrorCode.CONFLICT, config(data.resolveSibling("other"), memory, null));
      refused(ErrorCode.CONFLICT, config(memory, null, null));
      Path other = data.resolveSibling("third");
      refused(ErrorCode.INVALID_ARGUMENT, config(other, other.resolve("images"), null));

      // Without its file system the mount point is not taken for a new root.
      Path moved = memory.resolveSibling("moved");
      Files.move(memory, moved);
      Files.createDirectory(memory);
      refused(ErrorCode.HOST_UNFIT, config(data, memory, null));
      Files.delete(memory);
      refused(ErrorCode.HOST_UNFIT, config(data, null, null));
      Files.move(moved, memory);
      // Settings that are not given come from the record.
      try (Engine engine = EngineFactory.open(config(data, null, null))) {
        assertEquals(Map.of("storage", "reflink-xfs", "storage-memory", "btrfs"), chosen(engine));
        Doctor.Report report = engine.doctor().report(true);
        assertEquals(memory.toString(), report.host().get("storage-memory.root"));
        assertNotEquals(report.host().get("storage.root"), memory.toString());
      }
    }
  }

  @Test
  void aRootThatWasHalfMadeIsFinished() throws Exception {
    try (TwoFileSystems places = TwoFileSystems.xfsAndBtrfs()) {
      Path data = Files.createDirectories(places.disks());
      EngineFactory.open(config(data, places.memory(), null)).close();
      Path record = data.resolve("root.json");
      Path other = places.memory().resolve("root.json");
      String whole = Files.readString(record);
      String second = Files.readString(other);
      // The states between the first record and the second, and between the second and the third.
      String begun = whole.replaceAll("\"ready\" *: *true", "\"ready\" : false");
      assertNotEquals(whole, begun);
      for (boolean secondThere : new boolean[] {false, true}) {
        Files.writeString(record, begun);
        if (!secondThere) {
          Files.delete(other);
          clear(places.memory().resolve("volumes"));
        }
        EngineFactory.open(config(data, null, null)).close();
        assertEquals(whole, Files.readString(record));
        assertEquals(second, Files.readString(other));
      }
    }
  }

  private static void clear(Path directory) throws IOException {
    try (Stream<Path> tree = Files.walk(directory)) {
      for (Path path : tree.sorted(java.util.Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }

  private static void notLookedAt(ErrorCode code, Path dataRoot) {
    RametException e =
        assertThrows(
            RametException.class,
            () -> EngineFactory.openOffline(config(dataRoot, null, null)).close());
    assertEquals(code, e.code(), e.toString());
  }

  private static void remount(String how, Path directory) throws Exception {
    // Each root is a directory directly below its mount point.
    String mount = directory.resolve("..").normalize().toString();
    Process process =
        new ProcessBuilder("mount", "-o", "remount," + how, mount).inheritIO().start();
    assertEquals(0, process.waitFor());
  }

  @Test
  void withoutAHostOnlyRootsThatBelongTogetherAreLookedAt() throws Exception {
    try (TwoFileSystems places = TwoFileSystems.xfsAndBtrfs()) {
      Path data = Files.createDirectories(places.disks());
      EngineFactory.open(config(data, places.memory(), null)).close();
      Path record = places.memory().resolve("root.json");
      String own = Files.readString(record);
      notLookedAt(ErrorCode.CONFLICT, places.memory());
      Files.writeString(
          record, own.replaceAll("\"memoryOf\" : \"[^\"]*\"", "\"memoryOf\" : \"x\""));
      notLookedAt(ErrorCode.CONFLICT, data);
      Files.delete(record);
      notLookedAt(ErrorCode.HOST_UNFIT, data);
      Files.writeString(record, own);

      // A damaged file system is often mounted read-only.
      remount("ro", data);
      remount("ro", places.memory());
      try (OfflineStorage resting = EngineFactory.openOffline(config(data, null, null))) {
        assertEquals(List.of(), resting.check(false).findings());
      } finally {
        remount("rw", data);
        remount("rw", places.memory());
      }
      EngineFactory.open(config(data, null, null)).close();
    }
  }

  @Test
  void anExplicitChoiceWins() throws Exception {
    try (TwoFileSystems places = TwoFileSystems.xfsAndBtrfs()) {
      Path data = Files.createDirectories(places.disks());
      try (Engine engine = EngineFactory.open(config(data, places.memory(), "byte-copy"))) {
        assertEquals(
            Map.of("storage", "reflink-xfs", "storage-memory", "byte-copy"), chosen(engine));
        assertEquals(Doctor.Verdict.DEGRADED, engine.doctor().report(false).verdict());
      }
    }
  }

  private static EngineConfig config(Path data, @Nullable Path memory, @Nullable String backend) {
    EngineConfig config = TestConfig.of(data, 0, StepObserver.NONE);
    if (memory == null) {
      return config;
    }
    EngineConfig split = config.with("ramet.storage-memory-root", memory.toString());
    return backend == null ? split : split.with("ramet.storage-memory-backend", backend);
  }

  private static void refused(ErrorCode code, EngineConfig config) {
    RametException e = assertThrows(RametException.class, () -> EngineFactory.open(config).close());
    assertEquals(code, e.code(), e.toString());
  }
}
