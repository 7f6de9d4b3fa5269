// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.MemoryRegion;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Verifies captures of this process's own memory. */
final class FingerprintTest {
  private static final int PAGE = NativeBuffer.PAGE_BYTES;
  private static final int PAGES =
      700; // More than one piece, and not a multiple of the piece size.

  @TempDir Path directory;

  @Test
  void findsTheFirstPageThatDiffersAndNothingElse() throws Exception {
    byte[] bytes = new byte[PAGES * PAGE];
    new Random(5).nextBytes(bytes);
    Path image = Files.write(directory.resolve("image"), bytes);
    try (NativeBuffer memory = NativeBuffer.allocate(bytes.length);
        Fingerprint all = new Fingerprint(bytes.length)) {
      memory.view(0, bytes.length).put(bytes);
      all.compute(machine(memory));
      all.compare(image);

      for (int page : new int[] {PAGES - 1, 300, 0}) {
        bytes[page * PAGE + PAGE - 1] ^= 1;
        Files.write(image, bytes);
        RametException differs = assertThrows(RametException.class, () -> all.compare(image));
        assertEquals(ErrorCode.CORRUPT, differs.code());
        assertTrue(
            String.valueOf(differs.getMessage()).contains("first in page " + page + " "),
            differs.toString());
      }

      memory.view(0, bytes.length).put(bytes);
      all.compute(machine(memory));
      all.compare(image);
      Files.write(image, java.util.Arrays.copyOf(bytes, bytes.length - PAGE));
      RametException cut = assertThrows(RametException.class, () -> all.compare(image));
      assertEquals(ErrorCode.CORRUPT, cut.code());
    }
  }

  /** Returns a layout that splits the memory into two regions of different kinds. */
  private static GuestMemory machine(NativeBuffer memory) {
    long first = 400L * PAGE;
    return new GuestMemory(
        ProcessHandle.current().pid(),
        memory.sizeBytes(),
        List.of(
            new MemoryRegion(0, memory.address(), first, MemoryRegion.Kind.PRIVATE_IMAGE),
            new MemoryRegion(
                first,
                memory.address() + first,
                memory.sizeBytes() - first,
                MemoryRegion.Kind.ANONYMOUS)));
  }
}
