// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static dev.ramet.it.Modes.FULL;
import static dev.ramet.it.Modes.report;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.sandboxes.CloneRequest;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.snapshots.NewSnapshot;
import dev.ramet.engine.snapshots.Snapshot;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.testing.LoopFs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests a pool in a growing file on a full file system: the pool accepts the writes of a machine
 * and then cannot store them. The kernel reports the error once.
 */
@Timeout(900)
final class LostWritesTest {
  private static final long AROUND_BYTES = 900L << 20;
  private static final long POOL_BYTES = 2L << 30;
  private static final Set<ErrorCode> TOLD = Set.of(ErrorCode.NO_SPACE, ErrorCode.HOST_UNFIT);
  private static final String DIGEST = "sha256sum < /root/file";

  private final LoopFs around;
  private final LoopFs pool;
  private final Ground ground;
  private GuestShell shell;
  private Sandbox sandbox;

  LostWritesTest(@TempDir Path directory) throws IOException {
    around = LoopFs.tmpfs(directory, AROUND_BYTES);
    try {
      pool = LoopFs.xfs(around.root(), POOL_BYTES);
      try {
        // Without a reserve the host does not stop the machine before it comes to this.
        ground =
            Ground.make(
                pool.root().resolve("data"),
                0,
                config -> config.with("ramet.storage-reserve", "1"));
      } catch (IOException | RuntimeException | Error e) {
        pool.close();
        throw e;
      }
    } catch (IOException | RuntimeException | Error e) {
      around.close();
      throw e;
    }
  }

  @BeforeEach
  void begin() throws IOException {
    sandbox = ground.create();
    shell = ground.shell(sandbox.id());
  }

  @AfterEach
  void clear() throws IOException {
    try (around;
        pool) {
      makeRoom();
      ground.steps().reset();
      ground.close();
    }
  }

  private void fill() {
    try {
      around.fill(0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void writeBackAndMakeRoom() {
    try {
      new ProcessBuilder("sync", "-f", pool.root().toString()).start().waitFor();
      makeRoom();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private void makeRoom() throws IOException {
    Files.deleteIfExists(around.root().resolve("ballast"));
  }

  private Snapshot snapshot(String name) {
    return ground.engine().snapshots().create(sandbox.id(), name);
  }

  private static RametException told(Runnable operation) {
    RametException e = assertThrows(RametException.class, operation::run);
    assertTrue(TOLD.contains(e.code()), e::toString);
    return e;
  }

  @Test
  void aMachineWhoseDiskLostWritesIsNotCapturedAgain() throws Exception {
    String before = shell.run("head -c 8000000 /dev/urandom > /root/file; sync; " + DIGEST);
    snapshot("before");
    fill();
    shell.run("head -c 8000000 /dev/urandom > /root/file; sync");
    RametException e = told(() -> snapshot("torn"));
    assertTrue(String.valueOf(e.remedy()).contains("roll it back"), e::toString);
    makeRoom();

    Refusals.refused(ErrorCode.CORRUPT, () -> snapshot("torn"));
    ground.closeEngine();
    ground.openEngine();
    e = Refusals.refused(ErrorCode.CORRUPT, () -> snapshot("torn"));
    assertTrue(String.valueOf(e.remedy()).contains("roll it back"), e::toString);
    Refusals.refused(
        ErrorCode.CORRUPT,
        () -> ground.engine().sandboxes().clone(sandbox.id(), new CloneRequest(1, 1, null)));
    Refusals.refused(
        ErrorCode.CORRUPT, () -> ground.engine().sandboxes().pause(sandbox.id(), true));
    Refusals.refused(
        ErrorCode.CORRUPT, () -> ground.engine().sandboxes().pause(sandbox.id(), false));
    Refusals.refused(
        ErrorCode.CORRUPT,
        () ->
            ground
                .engine()
                .snapshots()
                .create(NewSnapshot.named(sandbox.id(), "torn").withoutMemory()));

    ground.engine().sandboxes().rollback(sandbox.id(), "before");
    shell = ground.shell(sandbox.id());
    assertEquals(before, shell.run(DIGEST));
    snapshot("after");
    assertEquals(before, ground.restored("after", DIGEST));
    ground.assertWell();
  }

  /**
   * The image that clones start from is not synced, so a capture of a clone must not build on it
   * once it has lost writes.
   */
  @Test
  void whatClonesBeganFromIsNotBuiltUponWhenItHasLostWrites() throws Exception {
    String digest = shell.run("head -c 30000000 /dev/urandom > /tmp/file; sha256sum < /tmp/file");
    // All pages are written by then, to the page cache; a hole would have made it write them back.
    ground
        .steps()
        .doAt(
            "snapshot.publish",
            () -> {
              fill();
              writeBackAndMakeRoom();
            });
    sandbox =
        ground
            .engine()
            .sandboxes()
            .clone(sandbox.id(), new CloneRequest(1, 1, null))
            .sandboxes()
            .get(0);
    ground.steps().resetWhenDone();
    Snapshot made = snapshot("whole");
    assertEquals(FULL, report(made).mode(), report(made)::modeReason);
    assertTrue(report(made).modeReason().contains("has lost writes"));
    assertEquals(digest, ground.restored("whole", "sha256sum < /tmp/file"));
  }
}
