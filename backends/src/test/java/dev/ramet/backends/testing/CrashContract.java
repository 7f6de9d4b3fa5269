// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.testing;

import static dev.ramet.backends.testing.Bytes.tree;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.StorageBackendProvider;
import dev.ramet.testing.LoopFs;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What every file backend finds after its process was killed in the middle of its work. */
public abstract class CrashContract {
  private static final int ROUNDS = 6;

  @TempDir private Path dir;

  /** The backend under test. */
  protected abstract StorageBackendProvider provider();

  /** A file system that suits it. */
  protected abstract LoopFs fileSystem(Path directory);

  @Test
  void everyNodeIsWholeAfterAKill() throws Exception {
    Path image = dir.resolve("image");
    byte[] content = new byte[4 << 20];
    new Random(9).nextBytes(content);
    Files.write(image, content);
    int nodes = 0;
    try (LoopFs fs = fileSystem(dir)) {
      for (int round = 0; round < ROUNDS; round++) {
        killInTheMiddle(fs.root(), image, round);
        try (StorageBackend backend = provider().open(new ProbeContext(fs.root()))) {
          assertFalse(tree(fs.root()).contains(".new-"));
          for (Node node : backend.list()) {
            assertEquals(content.length, node.sizeBytes());
            assertEquals(-1, Files.mismatch(image, backend.attach(node.id()).path()));
            nodes++;
          }
        }
      }
    }
    assertTrue(nodes > 0, "nothing was ever made");
  }

  private void killInTheMiddle(Path root, Path image, int round) throws Exception {
    // All on the class path: this process tests files, not modules.
    String classPath =
        String.join(
            File.pathSeparator,
            System.getProperty("jdk.module.path", ""),
            System.getProperty("java.class.path", ""),
            Path.of(System.getProperty("basedir", ""), "target", "test-classes").toString());
    Process process =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-XX:TieredStopAtLevel=1",
                    "-XX:+UseSerialGC",
                    "-cp",
                    classPath,
                    BusyHost.class.getName(),
                    provider().getClass().getName(),
                    root.toString(),
                    image.toString(),
                    Integer.toString(round)))
            .redirectError(dir.resolve("errors-" + round).toFile())
            .start();
    try (var output = process.inputReader()) {
      assertEquals("ready", output.readLine(), () -> errors(round));
      Thread.sleep(150 + 40L * round);
      assertTrue(process.isAlive(), () -> errors(round));
    } finally {
      process.destroyForcibly().waitFor();
    }
    assertFalse(errors(round).contains(BusyHost.SURPRISE), () -> errors(round));
  }

  private String errors(int round) {
    try {
      return Files.readString(dir.resolve("errors-" + round));
    } catch (java.io.IOException e) {
      return e.toString();
    }
  }
}
