// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.copy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.linux.file.Fd;
import dev.ramet.testing.LoopFs;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SparseCopyTest {
  private final Path dir;

  SparseCopyTest(@TempDir Path dir) {
    this.dir = dir;
  }

  @Test
  void keepsHolesWithinAndAcrossFileSystems() throws Exception {
    try (LoopFs fs = LoopFs.tmpfs(dir, 32 << 20)) {
      Path from = dir.resolve("from");
      try (RandomAccessFile file = new RandomAccessFile(from.toFile(), "rw")) {
        file.setLength((1L << 28) + 777);
        Random random = new Random(5);
        byte[] block = new byte[100_001];
        for (long offset = 12_345; offset < 1L << 28; offset += 27_000_003) {
          random.nextBytes(block);
          file.seek(offset);
          file.write(block);
        }
        file.seek((1L << 28) + 776);
        file.write(1);
      }
      for (Path to : new Path[] {dir.resolve("to"), fs.root().resolve("to")}) {
        try (Fd source = Fd.openRead(from);
            Fd target = Fd.createNew(to, 0600)) {
          new SparseCopy().copy(source, target);
          assertTrue(target.stat().allocatedBytes() < 2 << 20);
          assertEquals(source.stat().sizeBytes(), target.stat().sizeBytes());
        }
        assertEquals(-1, Files.mismatch(from, to));
      }
    }
  }
}
