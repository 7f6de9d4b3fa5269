// SPDX-License-Identifier: Apache-2.0
package dev.ramet.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.linux.NativeBuffer;
import dev.ramet.linux.NativeBuffer.Advice;
import dev.ramet.linux.memory.Pagemap;
import dev.ramet.linux.process.Smaps;
import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.MemoryRegion;
import dev.ramet.spi.memory.MemoryTracker;
import dev.ramet.spi.memory.PageRanges;
import dev.ramet.testing.Require;
import dev.ramet.testing.Tracee;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that pages in swap still count as the guest's. Real swap, real pages. */
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
      trackedPagesInSwap(image);
    } finally {
      if (on) {
        run("swapoff", swap.toString());
      }
    }
  }

  /** Pages written and then swapped have changed; pages only swapped out or in have not. */
  private void trackedPagesInSwap(Path image) throws Exception {
    ProbeContext where = new ProbeContext(directory);
    ProbeResult found = new WriteTrackingProvider().probe(where);
    Require.feature("userfaultfd", found instanceof ProbeResult.Usable, found.toString());
    try (Tracee tracee = new Tracee(directory, image, PAGES, "single")) {
      tracee.command("a 32 32");
      tracee.command("w 0 8 1");
      tracee.command("w 40 8 1");
      GuestMemory guest =
          new GuestMemory(
              tracee.pid(),
              (long) PAGES * PAGE,
              List.of(
                  new MemoryRegion(
                      0, tracee.address(), 32L * PAGE, MemoryRegion.Kind.PRIVATE_IMAGE),
                  new MemoryRegion(
                      32L * PAGE,
                      tracee.address() + 32L * PAGE,
                      32L * PAGE,
                      MemoryRegion.Kind.ANONYMOUS)));
      try (MemoryTracker tracker = new WriteTracking().attach(guest)) {
        tracee.command("o 0 64");
        assertEquals(16L * PAGE, tracker.select(guest).copyBytes());
        tracker.committed();
        assertEquals(0, tracker.select(guest).count(), "protected while in swap");
        tracee.command("r 0 2");
        assertEquals(0, tracker.select(guest).count(), "read back from swap");
        tracee.command("b 1 2 9");
        tracee.command("b 41 1 9");
        tracee.command("o 0 64");
        tracee.command("d 4 1");
        tracee.command("d 44 1");
        PageRanges ranges = tracker.select(guest);
        assertEquals(
            List.of("1+2 c", "4+1 c", "41+1 c", "44+1 z"),
            IntStream.range(0, ranges.count())
                .mapToObj(
                    i ->
                        ranges.imageOffset(i) / PAGE
                            + "+"
                            + ranges.lengthBytes(i) / PAGE
                            + (ranges.isZero(i) ? " z" : " c"))
                .toList());
        tracker.committed();
        // The discarded page was not read in between: whether it is the image's stays in doubt.
        assertEquals(1, tracker.select(guest).count());
        tracee.command("r 4 1");
        assertEquals(PAGE, tracker.select(guest).copyBytes());
        tracker.committed();
        assertEquals(0, tracker.select(guest).count());
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
