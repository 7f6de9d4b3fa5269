// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.exchange;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.state.ImageContent;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.file.KernelCopy;
import dev.ramet.testing.LoopFs;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the digests by blocks, and how much of the images they read. */
class BlockDigestTest {
  private static final int BLOCK = 64 << 10;
  private static final long SIZE = 256L << 20;
  private static final int DATA = 24 << 20;

  @TempDir Path scratch;

  @ParameterizedTest
  @ValueSource(ints = {1, BLOCK - 1, BLOCK, BLOCK + 1, 5 * BLOCK, (5 * BLOCK) + 4096})
  void itIsThatOfTheBlocksDigests(int size) throws Exception {
    Path file = scratch.resolve("image");
    byte[] data = new byte[Math.min(size, 5000)];
    new Random(3).nextBytes(data);
    try (RandomAccessFile image = new RandomAccessFile(file.toFile(), "rw")) {
      image.setLength(size);
      image.seek(size - data.length);
      image.write(data);
    }
    assertEquals(ExportEdits.byBlocks(file), digest(file, size));
    try (RandomAccessFile image = new RandomAccessFile(file.toFile(), "rw")) {
      image.seek(size - 1);
      image.write(data[data.length - 1] + 1);
    }
    assertEquals(ExportEdits.byBlocks(file), digest(file, size), "a changed last byte");
    RametException e = assertThrows(RametException.class, () -> digest(file, size + 1));
    assertEquals(ErrorCode.CORRUPT, e.code(), e.toString());
  }

  private static String digest(Path file, long size) throws Exception {
    try (Fd image = Fd.openRead(file)) {
      return BlockDigest.of(image, size, ExportEdits.meter());
    }
  }

  @Test
  void sharedBlocksAreReadOnceAndHolesNever() throws Exception {
    try (LoopFs xfs = LoopFs.xfs(scratch, 512L << 20)) {
      Path base = xfs.root().resolve("base");
      Path image = xfs.root().resolve("image");
      byte[] data = new byte[DATA];
      new Random(5).nextBytes(data);
      try (RandomAccessFile file = new RandomAccessFile(base.toFile(), "rw")) {
        file.setLength(SIZE);
        file.seek(SIZE / 2);
        file.write(data);
      }
      try (Fd from = Fd.openRead(base);
          Fd to = Fd.createNew(image, 0600)) {
        KernelCopy.share(from, to);
      }
      try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
        file.seek((SIZE / 2) + BLOCK + 5);
        file.write(1);
      }
      ExportWriter writer =
          new ExportWriter(
              xfs.root().resolve("increment"),
              new ExportName(xfs.root().resolve("final")),
              ExportEdits.meter());
      long before = bytesRead();
      ImageContent.Image found = writer.delta("disk.delta", "disk.raw", base, SIZE, image, SIZE);
      long read = bytesRead() - before;
      assertEquals(ExportEdits.byBlocks(base), found.sha256());
      // Beyond the data itself: the comparison of the part that is not shared, and its delta.
      assertTrue(read >= DATA, read + " bytes");
      assertTrue(read < DATA + (1 << 20), read + " bytes were read of " + DATA);
    }
  }

  /** Returns how many bytes this thread has read by system calls, from the cache or not. */
  private static long bytesRead() throws Exception {
    for (String line : Files.readAllLines(Path.of("/proc/thread-self/io"))) {
      if (line.startsWith("rchar: ")) {
        return Long.parseLong(line.substring("rchar: ".length()));
      }
    }
    throw new AssertionError("the kernel counts no reads");
  }
}
