// SPDX-License-Identifier: Apache-2.0
package dev.ramet.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.linux.NativeBuffer;
import dev.ramet.linux.NativeBuffer.Advice;
import dev.ramet.linux.Pagemap;
import dev.ramet.linux.Smaps;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.MemoryRegion;
import dev.ramet.spi.memory.MemoryTracker;
import dev.ramet.spi.memory.PageRanges;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pages that the host moved to swap belong to the guest all the same. Real swap, real pages. */
class SwapTest {
  private static final int PAGE = NativeBuffer.PAGE_BYTES;
  private static final int PAGES = 64;
  private static final long PID = ProcessHandle.current().pid();

  private final Path directory;

  SwapTest(@TempDir Path directory) {
    this.directory = directory;
  }

  @Test
  void swappedPagesAreSelected() throws Exception {
    Require.root();
    Path swap = Files.write(directory.resolve("swap"), new byte[16 << 20]);
    Path image = Files.write(directory.resolve("image"), new byte[PAGES * PAGE]);
    assertEquals(0, run("chmod", "600", swap.toString()));
    assertEquals(0, run("mkswap", swap.toString()));
    boolean on = run("swapon", swap.toString()) == 0;
    try {
      Require.feature("swap", on, "needs a kernel and file system that can swap to a file");
      try (NativeBuffer memory = NativeBuffer.mapPrivate(image, 0, (long) PAGES * PAGE)) {
        memory.replaceWithAnonymous(32L * PAGE, 32L * PAGE);
        for (int page : new int[] {1, 2, 20, 40, 63}) {
          memory.view((long) page * PAGE, 1).put(0, (byte) 7);
        }
        GuestMemory guest =
            new GuestMemory(
                PID,
                (long) PAGES * PAGE,
                List.of(
                    new MemoryRegion(
                        0, memory.address(), 32L * PAGE, MemoryRegion.Kind.PRIVATE_IMAGE),
                    new MemoryRegion(
                        32L * PAGE,
                        memory.address() + 32L * PAGE,
                        32L * PAGE,
                        MemoryRegion.Kind.ANONYMOUS)));
        memory.advise(Advice.PAGEOUT, 0, (long) PAGES * PAGE);
        assertTrue(swapped(memory, 1) && swapped(memory, 40), "pages are in swap");
        assertTrue(Smaps.ofPath(PID, image.toString()).swapBytes() >= 3 * PAGE);

        try (MemoryTracker tracker = new Incremental().attach(guest)) {
          PageRanges ranges = tracker.select(guest);

          assertEquals(5L * PAGE, ranges.copyBytes());
          assertEquals(30L * PAGE, ranges.zeroBytes());
          assertEquals(PAGE, ranges.imageOffset(0));
          assertEquals(2L * PAGE, ranges.lengthBytes(0));
          assertEquals(20L * PAGE, ranges.imageOffset(1));
        }
      }
    } finally {
      if (on) {
        run("swapoff", swap.toString());
      }
    }
  }

  private static boolean swapped(NativeBuffer memory, int page) throws Exception {
    try (Pagemap pagemap = Pagemap.open(PID);
        NativeBuffer answer = NativeBuffer.allocate(PAGE)) {
      pagemap.read(memory.address() + (long) page * PAGE, 1, answer);
      return (answer.view(0, 8).getLong(0) & Pagemap.SWAPPED) != 0;
    }
  }

  private static int run(String... command) throws Exception {
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start()
        .waitFor();
  }
}
