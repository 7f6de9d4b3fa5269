// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.testing.LoopFs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Checks that a host starts on a full file system, because only the host can delete what fills it.
 */
final class FullDiskStartTest {
  private static final long SIZE = 1L << 30;
  private static final List<String> NAMES = List.of("one", "two", "three");

  private final Path directory;

  FullDiskStartTest(@TempDir Path directory) {
    this.directory = directory;
  }

  @Test
  void onXfs() throws Exception {
    startsAndMakesRoom(LoopFs::xfs, "reflink-xfs");
  }

  @Test
  void onBtrfs() throws Exception {
    startsAndMakesRoom(LoopFs::btrfs, "btrfs");
  }

  @Test
  void byCopiesOnExt4() throws Exception {
    startsAndMakesRoom(LoopFs::ext4, "byte-copy");
  }

  private void startsAndMakesRoom(BiFunction<Path, Long, LoopFs> make, String backend)
      throws Exception {
    try (LoopFs fs = make.apply(directory, SIZE)) {
      Path root = Files.createDirectory(fs.root().resolve("data"));
      try (Ground ground =
          Ground.make(root, 0, config -> config.with("ramet.storage-backend", backend))) {
        Sandbox sandbox = ground.create();
        for (String name : NAMES) {
          ground
              .shell(sandbox.id())
              .run("head -c 8000000 /dev/urandom > /tmp/big; echo " + name + " > /tmp/file");
          ground.engine().snapshots().create(sandbox.id(), name);
        }
        ground.closeEngine();
        fill(fs, root);
        commandsWork(root);

        ground.openEngine();
        assertEquals(Sandbox.State.RUNNING, ground.engine().sandboxes().get(sandbox.id()).state());
        assertEquals("three", ground.shell(sandbox.id()).run("cat /tmp/file"));
        RametException full =
            Refusals.refused(
                ErrorCode.NO_SPACE,
                () -> {
                  ground.shell(sandbox.id()).run("head -c 30000000 /dev/urandom > /tmp/bigger");
                  ground.engine().snapshots().create(sandbox.id(), "too-much");
                });
        assertTrue(String.valueOf(full.getMessage()).contains(" MiB free)"), full.getMessage());
        assertTrue(String.valueOf(full.remedy()).contains("delete snapshots"), full.remedy());
        ground.shell(sandbox.id()).run("rm /tmp/bigger");
        for (String name : List.of("two", "three")) {
          ground.engine().snapshots().delete(name, false);
        }
        fs.unfill();
        ground.engine().snapshots().create(sandbox.id(), "again");
        ground.engine().sandboxes().rollback(sandbox.id(), "again");
        assertEquals("three", ground.shell(sandbox.id()).run("cat /tmp/file"));
      }
    }
  }

  /** Fills the file system, then appends single pages to the ballast until not even one fits. */
  private static void fill(LoopFs fs, Path root) throws Exception {
    fs.fill(0);
    Path small = Files.createDirectories(root.resolve("..").normalize()).resolve("ballast");
    try (var out = Files.newOutputStream(small, java.nio.file.StandardOpenOption.APPEND)) {
      while (true) {
        out.write(new byte[4096]);
      }
    } catch (java.io.IOException full) {
      // Not even a page fits.
    }
  }

  /** Checks that the installed programs also start on it and can delete a snapshot. */
  private static void commandsWork(Path root) throws Exception {
    // A host that was started before has its key, and its socket is not on this disk.
    Map<String, String> settings = Map.of("RAMET_AUTH", "OFF");
    try (Installed host = Installed.serve(root, settings)) {
      Installed.Run run = host.run("snapshot", "rm", "one");
      assertEquals(0, run.status(), run.out() + run.err());
      assertTrue(!host.run("snapshot", "ls").out().contains("one"));
      Installed.Run status = host.run("storage", "status", "--data-root", root.toString());
      assertEquals(0, status.status(), status.out() + status.err());
    }
  }
}
