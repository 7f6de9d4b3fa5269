// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.reflinkxfs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.Usage;
import dev.ramet.testing.LoopFs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReflinkXfsProviderTest {
  private final Path dir;
  private final ReflinkXfsProvider provider = new ReflinkXfsProvider();

  ReflinkXfsProviderTest(@TempDir Path dir) {
    this.dir = dir;
  }

  private ProbeResult.Unusable unusable(LoopFs fs) {
    ProbeResult.Unusable unusable =
        assertInstanceOf(ProbeResult.Unusable.class, provider.probe(new ProbeContext(fs.root())));
    assertEquals("", unusable.remedy().isBlank() ? "no remedy" : "");
    return unusable;
  }

  @Test
  void provesItOnXfsAndLeavesNoTrace() throws Exception {
    try (LoopFs fs = LoopFs.xfs(dir, 320 << 20)) {
      ProbeResult.Usable usable =
          assertInstanceOf(ProbeResult.Usable.class, provider.probe(new ProbeContext(fs.root())));
      assertEquals(
          Set.of(
              "copy-on-write",
              "copy-preparation",
              "image-compaction",
              "grow",
              "image-transfer",
              "inspection"),
          usable.facts().names());
      assertEquals("xfs", usable.evidence().get("file-system"));
      assertEquals(0, fs.root().toFile().list().length);
      fs.remount("ro");
      assertEquals("read-only", unusable(fs).reason());
    }
  }

  @Test
  void needsReflink() {
    try (LoopFs fs = LoopFs.xfsWithoutReflink(dir, 320 << 20)) {
      assertEquals("XFS without reflink", unusable(fs).reason());
      assertEquals(0, fs.root().toFile().list().length);
    }
  }

  @Test
  void leavesOtherFileSystemsToOthers() {
    try (LoopFs fs = LoopFs.btrfs(dir, 256 << 20)) {
      assertEquals("not XFS", unusable(fs).reason());
    }
    try (LoopFs fs = LoopFs.ext4(dir, 16 << 20)) {
      assertEquals("not XFS", unusable(fs).reason());
      RametException e =
          assertThrows(
              RametException.class, () -> provider.open(new ProbeContext(fs.root())).close());
      assertEquals(ErrorCode.HOST_UNFIT, e.code());
      assertEquals(false, Files.exists(fs.root().resolve("volumes")));
    }
  }

  @Test
  void usageTellsSharedFromExclusive() throws Exception {
    NodeId v = NodeId.of("v");
    NodeId s = NodeId.of("s");
    try (LoopFs fs = LoopFs.xfs(dir, 320 << 20);
        StorageBackend backend = provider.open(new ProbeContext(fs.root()))) {
      Path image = dir.resolve("image");
      Files.write(image, new byte[1 << 20]);
      backend.importFrom(v, image);
      assertEquals(new Usage(1 << 20, 1 << 20), backend.usage(v));
      backend.snapshot(v, s, Durability.RELAXED);
      assertEquals(new Usage(0, 1 << 20), backend.usage(v));
      assertEquals(new Usage(0, 1 << 20), backend.usage(s));
      try (var file = new java.io.RandomAccessFile(backend.attach(v).path().toFile(), "rw")) {
        file.write(new byte[64 << 10]);
      }
      assertEquals(new Usage(64 << 10, 1 << 20), backend.usage(v));
      assertEquals(new Usage(64 << 10, 1 << 20), backend.usage(s));
      backend.delete(v);
      // XFS gives up a deleted file's blocks in the background.
      assertTimeoutPreemptively(
          Duration.ofSeconds(30),
          () -> {
            while (!backend.usage(s).equals(new Usage(1 << 20, 1 << 20))) {
              Thread.sleep(5);
            }
          });
    }
  }
}
