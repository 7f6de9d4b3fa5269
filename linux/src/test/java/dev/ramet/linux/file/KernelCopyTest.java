// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.linux.LinuxException;
import dev.ramet.testing.LoopFs;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KernelCopyTest {
  private static final long MIB = 1 << 20;

  private final Path dir;

  KernelCopyTest(@TempDir Path dir) {
    this.dir = dir;
  }

  @Test
  void copiesARange() throws Exception {
    Path from = dir.resolve("from");
    Files.writeString(from, "0123456789");
    Path to = dir.resolve("to");
    try (Fd source = Fd.openRead(from);
        Fd target = Fd.createNew(to, 0600)) {
      assertEquals(6, KernelCopy.copy(source, 4, target, 2, 100));
    }
    assertEquals("\0\000456789", Files.readString(to));
  }

  @Test
  void cloneSharesBlocks() throws Exception {
    try (LoopFs fs = LoopFs.xfs(dir, 320 * MIB);
        Fd source = Fd.createNew(fs.root().resolve("a"), 0600);
        Fd target = Fd.createNew(fs.root().resolve("b"), 0600)) {
      byte[] text = "x".repeat(65536).getBytes(StandardCharsets.UTF_8);
      source.pwrite(ByteBuffer.allocateDirect(text.length).put(text).flip(), 0);
      KernelCopy.share(source, target);
      assertEquals(65536, target.stat().sizeBytes());
      List<Extent> extents = new ArrayList<>();
      Fiemap.walk(target, true, extents::add);
      assertTrue(extents.get(0).isShared());
      assertEquals(FsInfo.XFS, FsInfo.of(fs.root()).type());
    }
  }

  @Test
  void cloneElsewhereIsAnError() throws Exception {
    try (LoopFs fs = LoopFs.ext4(dir, 8 * MIB);
        Fd source = Fd.createNew(fs.root().resolve("a"), 0600);
        Fd target = Fd.createNew(fs.root().resolve("b"), 0600)) {
      LinuxException e = assertThrows(LinuxException.class, () -> KernelCopy.share(source, target));
      assertEquals(LinuxException.EOPNOTSUPP, e.errno());
    }
  }
}
