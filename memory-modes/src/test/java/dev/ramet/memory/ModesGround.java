// SPDX-License-Identifier: Apache-2.0
package dev.ramet.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ramet.linux.NativeBuffer;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.MemoryMode;
import dev.ramet.spi.memory.MemoryRegion;
import dev.ramet.spi.memory.MemoryTracker;
import dev.ramet.spi.memory.PageRanges;
import java.nio.file.Path;
import java.util.Arrays;

/** Ground for tests of memory modes on this process. */
abstract class ModesGround {
  static final int PAGE = NativeBuffer.PAGE_BYTES;

  final Path directory;

  ModesGround(Path directory) {
    this.directory = directory;
  }

  /** One letter a page: c copied, z zero, a dot for neither. */
  static String select(MemoryMode mode, GuestMemory memory, int pages) {
    try (MemoryTracker tracker = mode.attach(memory)) {
      PageRanges ranges = tracker.select(memory);
      tracker.committed();
      char[] letters = ".".repeat(pages).toCharArray();
      for (int i = 0; i < ranges.count(); i++) {
        int first = (int) (ranges.imageOffset(i) / PAGE);
        int end = (int) (first + ranges.lengthBytes(i) / PAGE);
        Arrays.fill(letters, first, end, ranges.isZero(i) ? 'z' : 'c');
        for (MemoryRegion r : memory.regions()) {
          long inside = ranges.imageOffset(i) - r.imageOffset();
          if (inside >= 0 && inside < r.lengthBytes() && !ranges.isZero(i)) {
            assertEquals(r.address() + inside, ranges.address(i));
          }
        }
      }
      return new String(letters);
    }
  }

  static void write(NativeBuffer memory, int page) {
    memory.view((long) page * PAGE, 1).put(0, (byte) 99);
  }
}
