// SPDX-License-Identifier: Apache-2.0
package dev.ramet.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ramet.linux.NativeBuffer;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.file.OpenFlag;
import dev.ramet.memory.page.Scanner;
import dev.ramet.memory.page.SelectionRule;
import dev.ramet.memory.page.Selector;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.MemoryRegion;
import dev.ramet.spi.memory.MemoryTracker;
import dev.ramet.spi.memory.PageRanges;
import dev.ramet.testing.Require;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests what the mode full need not read: pages that are known to be zero. */
class FullTest {
  private static final int PAGE = NativeBuffer.PAGE_BYTES;
  private static final int PAGES = 1024;
  private static final long BYTES = (long) PAGES * PAGE;
  private static final long PID = ProcessHandle.current().pid();

  private final Path image;

  FullTest(@TempDir Path directory) {
    image = directory.resolve("image");
  }

  /** Data in pages 0 to 99, 200 to 299 and 310 to 399, the last hole up to the end. */
  @BeforeEach
  void makeImage() throws Exception {
    try (FileChannel file =
        FileChannel.open(image, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      for (int[] data : new int[][] {{0, 100}, {200, 100}, {310, 90}}) {
        byte[] bytes = new byte[data[1] * PAGE];
        Arrays.fill(bytes, (byte) 7);
        file.write(ByteBuffer.wrap(bytes), (long) data[0] * PAGE);
      }
    }
    try (Fd file = Fd.open(image, Set.of(OpenFlag.READ, OpenFlag.WRITE), 0)) {
      file.truncate(BYTES);
    }
  }

  private static GuestMemory memory(MemoryRegion... regions) {
    long end = Arrays.stream(regions).mapToLong(MemoryRegion::lengthBytes).sum();
    return new GuestMemory(PID, end, List.of(regions));
  }

  private static MemoryRegion region(NativeBuffer memory, int page, int pages) {
    return new MemoryRegion(
        (long) page * PAGE,
        memory.address() + (long) page * PAGE,
        (long) pages * PAGE,
        MemoryRegion.Kind.PRIVATE_IMAGE);
  }

  private static List<String> list(PageRanges ranges) {
    return IntStream.range(0, ranges.count())
        .mapToObj(
            i ->
                ranges.imageOffset(i) / PAGE
                    + "+"
                    + ranges.lengthBytes(i) / PAGE
                    + (ranges.isZero(i) ? " zero" : ""))
        .toList();
  }

  private static List<String> select(GuestMemory memory) {
    try (MemoryTracker tracker = new Full().attach(memory)) {
      return list(tracker.select(memory));
    }
  }

  @Test
  void holesOfTheImageAreNotReadUnlessWritten() throws Exception {
    try (NativeBuffer memory = NativeBuffer.mapPrivate(image, 0, BYTES)) {
      GuestMemory guest = memory(region(memory, 0, PAGES));
      // A hole of ten pages is not worth asking for.
      assertEquals(List.of("0+100", "100+100 zero", "200+200", "400+624 zero"), select(guest));

      ByteBuffer view = memory.view(0, (int) BYTES);
      for (int page = 0; page < PAGES; page += 3) {
        view.get(page * PAGE);
      }
      assertEquals(
          List.of("0+100", "100+100 zero", "200+200", "400+624 zero"),
          select(guest),
          "pages of the file that were only read");

      for (int page : new int[] {99, 100, 150, 199, 305, 500, 501, PAGES - 1}) {
        view.put(page * PAGE + PAGE - 1, (byte) 1);
      }
      List<String> expected =
          List.of(
              "0+101",
              "101+49 zero",
              "150+1",
              "151+48 zero",
              "199+201",
              "400+100 zero",
              "500+2",
              "502+521 zero",
              "1023+1");
      assertEquals(expected, select(guest));

      // A mapped file stays available without a name.
      Require.root();
      Files.delete(image);
      assertEquals(expected, select(guest));
    }
  }

  @Test
  void thePageTableSaysTheSame() throws Exception {
    try (NativeBuffer memory = NativeBuffer.mapPrivate(image, 0, BYTES);
        Selector selector = Selector.open(PID);
        Scanner scanner = Scanner.open(PID)) {
      ByteBuffer view = memory.view(0, (int) BYTES);
      for (int page = 400; page < PAGES; page += 7) {
        view.put(page * PAGE, (byte) 1);
        view.get((page + 3) % PAGES * PAGE);
      }
      MemoryRegion hole = region(memory, 400, PAGES - 400);
      PageRanges.Builder found = new PageRanges.Builder();
      PageRanges.Builder read = new PageRanges.Builder();
      selector.select(hole, SelectionRule.COPIES_OR_ZERO, found);
      scanner.scan(hole, SelectionRule.COPIES_OR_ZERO, read);
      assertEquals(list(read.build()), list(found.build()));
      assertEquals((PAGES - 400 + 6) / 7 * (long) PAGE, found.build().copyBytes());
      assertEquals(hole.lengthBytes(), found.build().copyBytes() + found.build().zeroBytes());
    }
  }

  @Test
  void aPartOfTheImageIsWhereItIsInTheFile() throws Exception {
    int first = 150;
    try (NativeBuffer memory =
        NativeBuffer.mapPrivate(image, (long) first * PAGE, BYTES - (long) first * PAGE)) {
      GuestMemory guest = memory(region(memory, 0, PAGES - first));
      assertEquals(List.of("0+50 zero", "50+200", "250+624 zero"), select(guest));
      GuestMemory cut =
          memory(region(memory, 0, 20), region(memory, 20, 280), region(memory, 300, 574));
      assertEquals(List.of("0+50 zero", "50+200", "250+624 zero"), select(cut));
    }
  }

  @Test
  void whatIsMappedOtherwiseThanItWasIsRead() throws Exception {
    try (NativeBuffer memory = NativeBuffer.mapPrivate(image, 0, BYTES)) {
      GuestMemory whole = memory(region(memory, 0, PAGES));
      try (MemoryTracker tracker = new Full().attach(whole)) {
        memory.replaceWithAnonymous(500L * PAGE, 100L * PAGE);
        List<MemoryRegion> regions = new ArrayList<>();
        regions.add(region(memory, 0, 500));
        regions.add(
            new MemoryRegion(
                500L * PAGE,
                memory.address() + 500L * PAGE,
                100L * PAGE,
                MemoryRegion.Kind.ANONYMOUS));
        regions.add(region(memory, 600, PAGES - 600));
        GuestMemory now = memory(regions.toArray(MemoryRegion[]::new));
        assertEquals(List.of("0+500", "500+100 zero", "600+424"), list(tracker.select(now)));
      }
    }
  }

  @Test
  void memoryBehindTheEndOfTheImageIsLeftToTheReader() throws Exception {
    try (Fd file = Fd.open(image, Set.of(OpenFlag.READ, OpenFlag.WRITE), 0)) {
      file.truncate(700L * PAGE);
    }
    try (NativeBuffer memory = NativeBuffer.mapPrivate(image, 0, BYTES)) {
      assertEquals(
          List.of("0+100", "100+100 zero", "200+200", "400+300 zero", "700+324"),
          select(memory(region(memory, 0, PAGES))));
    }
  }

  @Test
  void memoryThatMapsNoFileHasNoHoles() throws Exception {
    try (NativeBuffer memory = NativeBuffer.allocate(BYTES)) {
      assertEquals(List.of("0+1024"), select(memory(region(memory, 0, PAGES))));
    }
  }
}
