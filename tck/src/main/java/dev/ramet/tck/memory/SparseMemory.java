// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.memory;

import static dev.ramet.tck.memory.TrackedProcess.PAGE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.MemoryRegion;
import dev.ramet.spi.memory.PageRanges;
import dev.ramet.tck.support.ChangedPages;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A process with far more memory than it uses, over an image that is one large hole. */
final class SparseMemory implements AutoCloseable {
  private static final long BORDER = 3L << 30;

  private final long bytes;
  private final TrackedProcess process;
  private final ChangedPages log;
  private final boolean logs;
  private final Map<Long, Integer> written = new TreeMap<>();

  SparseMemory(Path directory, long bytes, boolean logs) throws IOException {
    this.bytes = bytes;
    Path image = directory.resolve("sparse");
    try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
      file.setLength(bytes);
    }
    process = new TrackedProcess(image, bytes);
    log = new ChangedPages(process.pid(), process::address);
    this.logs = logs;
  }

  GuestMemory memory() {
    long start = process.address();
    MemoryRegion.Kind kind = MemoryRegion.Kind.PRIVATE_IMAGE;
    GuestMemory memory =
        new GuestMemory(
            process.pid(),
            bytes,
            List.of(
                new MemoryRegion(0, start, BORDER, kind),
                new MemoryRegion(BORDER, start + BORDER, bytes - BORDER, kind)));
    return logs ? memory.with(log) : memory;
  }

  void write(long page, int value) {
    process.does("fill", page, 1, value);
    log.written(Math.toIntExact(page), 1);
    written.put(page, value);
  }

  /** Records a capture: pages written before it need not be selected again. */
  void forget(boolean all) {
    if (all) {
      written.clear();
    }
  }

  /** Requires that every written page is selected, at its address. */
  void check(PageRanges ranges) {
    written.forEach(
        (page, value) -> {
          long at = page * PAGE;
          long address = -1;
          for (int i = 0; i < ranges.count(); i++) {
            long inside = at - ranges.imageOffset(i);
            if (inside >= 0 && inside < ranges.lengthBytes(i) && !ranges.isZero(i)) {
              address = ranges.address(i) + inside;
            }
          }
          assertTrue(
              address >= 0,
              () ->
                  "the page at byte "
                      + at
                      + " of the memory was lost: offsets in memory are 64-bit numbers");
          ByteBuffer content = ByteBuffer.allocate(1);
          process.read(address, content);
          assertEquals(
              value.byteValue(), content.get(0), () -> "content of the page at byte " + at);
        });
  }

  @Override
  public void close() {
    process.close();
  }
}
