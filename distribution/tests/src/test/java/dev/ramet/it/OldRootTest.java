// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ramet.engine.EngineConfig;
import dev.ramet.engine.StepObserver;
import dev.ramet.engine.sandboxes.CloneRequest;
import dev.ramet.engine.sandboxes.NewSandbox;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.snapshots.Snapshot;
import dev.ramet.engine.start.Engine;
import dev.ramet.engine.start.EngineFactory;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Opens a data root that an earlier version made: {@code src/test/roots/README.md} describes it.
 * Everything in it is found and can be used.
 */
final class OldRootTest {
  private static final Path ARCHIVE = Path.of("src/test/roots/byte-copy-1.tar.gz");
  private static final String COLD = "tguircc7nbw9wiizgdcx";
  private static final String FIRST = "srwxv0ffa2otujymervi";
  private static final String SECOND = "szf4ii2t6snknj2ua2ta";
  private static final String PAUSED = "ijyp8t4ajcoeq5uegkmy";
  private static final String KEPT = "ipdupgvx44ijy9szbvyr";

  /** The clone whose machine ended with its host's machine. */
  private static final String LOST = "iinr4t5m0p4olxy3r72x";

  /** The content of files that hold firmware. */
  private static final String LEFT_OUT = "left out\n";

  private final Path directory;
  private Path root;
  private Engine engine;

  OldRootTest(@TempDir Path directory) {
    this.directory = directory;
  }

  @BeforeEach
  void open() throws Exception {
    root = Files.createDirectory(directory.resolve("root"));
    Process tar =
        new ProcessBuilder("tar", "-xzf", ARCHIVE.toString(), "-C", root.toString())
            .inheritIO()
            .start();
    assertEquals(0, tar.waitFor(), "cannot unpack " + ARCHIVE);
    EngineConfig config = TestConfig.of(root, 0, StepObserver.NONE);
    engine = EngineFactory.open(config.with("ramet.working-set", "OFF"));
  }

  @AfterEach
  void close() {
    if (engine != null) {
      killAll();
      engine.close();
    }
  }

  @Test
  void everythingIsListed() throws Exception {
    assertEquals(
        List.of("old-cold " + COLD),
        engine.templates().list().stream().map(one -> one.name() + " " + one.id()).toList());
    Map<String, String> snapshots = new TreeMap<>();
    engine.snapshots().list(null).forEach(one -> snapshots.put(one.id(), one.name()));
    assertEquals(Map.of(FIRST, "first", SECOND, "second"), snapshots);
    Snapshot tagged = engine.snapshots().get("second:later");
    assertEquals(SECOND, tagged.id());
    assertEquals(64 << 20, tagged.memoryBytes());
    assertEquals(PAUSED, tagged.sandboxId());
    Map<String, String> states = new TreeMap<>();
    for (Sandbox sandbox : engine.sandboxes().list()) {
      states.put(sandbox.id(), String.valueOf(sandbox.state()));
    }
    states.remove(LOST);
    assertEquals(new TreeMap<>(Map.of(PAUSED, "PAUSED", KEPT, "PAUSED")), states);
    assertEquals(Map.of("owner", "old"), engine.sandboxes().get(KEPT).metadata());
    assertEquals(
        List.of("shared"), engine.volumes().list().stream().map(one -> one.name()).toList());
    RootFiles.awaitGone(root.resolve("sandboxes").resolve(LOST)); // its time is over
    RootFiles.awaitDeletions(root);
    Ground.assertWell(engine);
  }

  /** Machines start from it, and what they capture rests on what was there. */
  @Test
  void itIsUsed() throws Exception {
    Sandbox booted = create("old-cold");
    Snapshot fresh = engine.snapshots().create(booted.id(), "fresh");
    assertEquals(fresh.id(), engine.sandboxes().rollback(booted.id(), fresh.id()).snapshotId());
    if (!identity(FIRST).equals(identity(fresh.id()))) {
      // Another QEMU than the one that saved it, or another processor.
      RametException e = Refusals.refused(ErrorCode.UNSUPPORTED, () -> create(FIRST));
      assertNotNull(e.remedy());
      return;
    }
    fillIn(fresh.id());
    Sandbox restored = create(FIRST);
    Snapshot next = engine.snapshots().create(restored.id(), "next");
    assertNotEquals(FIRST, next.id());
    assertEquals(
        2,
        engine.sandboxes().clone(restored.id(), new CloneRequest(2, 1, null)).sandboxes().size());
    assertEquals(FIRST, engine.sandboxes().rollback(restored.id(), FIRST).snapshotId());
    for (String paused : List.of(PAUSED, KEPT)) {
      Sandbox resumed = engine.sandboxes().resume(paused, null, true);
      assertEquals("RUNNING", String.valueOf(resumed.state()));
      assertEquals(SECOND, engine.sandboxes().rollback(paused, SECOND).snapshotId());
    }
    Ground.assertWell(engine);
    killAll();
    engine.snapshots().list(null).forEach(one -> engine.snapshots().delete(one.id(), false));
    engine.templates().delete("old-cold");
    RootFiles.awaitDeletions(root);
    Ground.assertWell(engine);
    try (Stream<Path> left = Files.list(root.resolve("snapshots"))) {
      assertEquals(
          new TreeSet<>(),
          left.map(Path::toString).collect(Collectors.toCollection(TreeSet::new)),
          "nothing may hold on to what was deleted");
    }
  }

  private void killAll() {
    for (Sandbox sandbox : engine.sandboxes().list()) {
      try {
        engine.sandboxes().kill(sandbox.id());
      } catch (RametException e) {
        // The old root's sandboxes have timeouts that ended long ago.
        assertEquals(ErrorCode.NOT_FOUND, e.code());
      }
    }
  }

  private Sandbox create(String source) {
    return engine.sandboxes().create(NewSandbox.of(source).build());
  }

  private JsonNode identity(String snapshot) throws Exception {
    Path manifest = root.resolve("snapshots").resolve(snapshot).resolve("manifest.json");
    JsonNode identity = new ObjectMapper().readTree(manifest.toFile()).path("identity");
    assertTrue(identity.isObject(), () -> "no identity in " + manifest);
    return identity;
  }

  /** Gives the old snapshots the firmware that was left out of the archive. */
  private void fillIn(String from) throws Exception {
    Path snapshots = root.resolve("snapshots");
    Path blocks = Path.of("devices", "ram-blocks");
    try (Stream<Path> all = Files.list(snapshots)) {
      for (Path one : all.toList()) {
        Path file = one.resolve(blocks);
        if (Files.exists(file) && Files.size(file) == LEFT_OUT.length()) {
          Files.copy(
              snapshots.resolve(from).resolve(blocks), file, StandardCopyOption.REPLACE_EXISTING);
        }
      }
    }
  }
}
