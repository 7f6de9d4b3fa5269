// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.EngineConfig;
import dev.ramet.engine.StepObserver;
import dev.ramet.engine.start.Engine;
import dev.ramet.engine.start.EngineFactory;
import dev.ramet.testing.LoopFs;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Checks that a host makes a pool only if the operator prefers no storage backend that works
 * without one, and that a pool is mounted only while it is used.
 */
@Timeout(300)
final class PoolTest {
  private static final long POOL_BYTES = 400L << 20;

  private final Path directory;
  private LoopFs fs;
  private Path root;
  private Path pool;

  PoolTest(@TempDir Path directory) {
    this.directory = directory;
  }

  @BeforeEach
  void make() throws Exception {
    fs = LoopFs.ext4(directory, 2L << 30);
    root = Files.createDirectory(fs.root().toRealPath().resolve("data"));
    pool = root.resolve("pool");
  }

  @AfterEach
  void close() throws Exception {
    if (isMounted()) {
      LoopFs.run(java.util.List.of("umount", pool.toString()));
    }
    fs.close();
  }

  private boolean isMounted() throws Exception {
    return Files.readString(Path.of("/proc/self/mounts")).contains(" " + pool + " ");
  }

  private EngineConfig config() {
    return TestConfig.of(root, POOL_BYTES, StepObserver.NONE);
  }

  private static String backend(EngineConfig config) {
    try (Engine engine = EngineFactory.open(config)) {
      return String.valueOf(engine.doctor().report(false).host().get("storage.backend"));
    }
  }

  @Test
  void noPoolIsMadeForAHostThatPrefersABackendThatNeedsNone() {
    assertEquals("byte-copy", backend(config().with("ramet.plugins-preferred", "byte-copy")));
    assertFalse(Files.exists(pool));
    assertFalse(Files.exists(root.resolve("pool.xfs.img")));
  }

  @Test
  void theOneThatIsPreferredMostDecides() {
    String preferred = "absent,reflink-xfs,byte-copy";
    assertEquals("reflink-xfs", backend(config().with("ramet.plugins-preferred", preferred)));
    assertTrue(Files.exists(pool));
  }

  @Test
  void aHostThatStopsUnmountsItsPoolAndTheNextStartMountsItAgain() throws Exception {
    try (Engine engine = EngineFactory.open(config())) {
      assertTrue(isMounted());
      assertTrue(engine.templates().list().isEmpty());
    }
    assertFalse(isMounted());
    try (Engine engine = EngineFactory.open(config())) {
      assertTrue(isMounted());
      assertTrue(engine.templates().list().isEmpty());
      // As the disk of a sandbox that runs on.
      try (OutputStream used = Files.newOutputStream(pool.resolve("used"))) {
        engine.close();
        assertTrue(isMounted());
        used.write(1);
      }
    }
  }

  @Test
  void anOperatorUnmountsThePoolOfAHostThatWasKilled() throws Exception {
    Map<String, String> settings = Map.of("RAMET_STORAGE_POOL_SIZE", "" + POOL_BYTES);
    Installed host = Installed.serve(root, settings);
    try (host) {
      assertTrue(isMounted());
      Installed.Run refused = host.run("storage", "unmount", "--data-root", "" + root);
      assertEquals(4, refused.status(), refused.out() + refused.err());
      assertTrue(refused.err().contains("is in use by another process"), refused.err());
      assertTrue(isMounted());
      assertTrue(host.server().destroyForcibly().waitFor() != 0);
      assertTrue(isMounted());
      Installed.Run done = host.run("storage", "unmount", "--data-root", "" + root);
      assertEquals("unmounted " + pool + "\n", done.out(), done.err());
      assertFalse(isMounted());
      Installed.Run again = host.run("storage", "unmount", "--data-root", "" + root);
      assertEquals("no pool is mounted in " + root + "\n", again.out(), again.err());
      assertEquals(0, again.status());
    }
  }
}
