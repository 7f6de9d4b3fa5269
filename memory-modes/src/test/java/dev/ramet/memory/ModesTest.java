// SPDX-License-Identifier: Apache-2.0
package dev.ramet.memory;

import static dev.ramet.spi.memory.MemoryRegion.Kind.ANONYMOUS;
import static dev.ramet.spi.memory.MemoryRegion.Kind.PRIVATE_IMAGE;
import static dev.ramet.spi.memory.MemoryRegion.Kind.SHARED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.linux.NativeBuffer.Advice;
import dev.ramet.spi.memory.Baseline;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.MemoryMode;
import dev.ramet.spi.memory.MemoryRegion;
import dev.ramet.spi.memory.MemoryTracker;
import dev.ramet.testing.Require;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Both modes on real mappings of this process, where every page can be put into any state. */
final class ModesTest extends ModesGround {
  ModesTest(@TempDir Path directory) {
    super(directory);
  }

  private static final int HUGE = 2 << 20;
  private static final long PID = ProcessHandle.current().pid();

  private Path image(int pages) throws Exception {
    byte[] bytes = new byte[pages * PAGE];
    for (int page = 0; page < pages; page++) {
      Arrays.fill(bytes, page * PAGE, (page + 1) * PAGE, (byte) (page + 1));
    }
    return Files.write(directory.resolve("image"), bytes);
  }

  private static MemoryRegion region(
      NativeBuffer memory, int from, int pages, MemoryRegion.Kind k) {
    return new MemoryRegion(
        (long) from * PAGE, memory.address() + (long) from * PAGE, (long) pages * PAGE, k);
  }

  private static GuestMemory guest(MemoryRegion... regions) {
    MemoryRegion last = regions[regions.length - 1];
    return new GuestMemory(PID, last.imageOffset() + last.lengthBytes(), List.of(regions));
  }

  private static int read(NativeBuffer memory, int page) {
    return memory.view((long) page * PAGE, 1).get(0);
  }

  @Test
  void incrementalSelectsPrivateCopiesAlone() throws Exception {
    try (NativeBuffer memory = NativeBuffer.mapPrivate(image(16), 0, 16L * PAGE)) {
      GuestMemory guest = guest(region(memory, 0, 16, PRIVATE_IMAGE));
      assertEquals("................", select(new Incremental(), guest, 16));
      assertEquals(1, read(memory, 0));
      write(memory, 0);
      assertEquals(2, read(memory, 1));
      write(memory, 5);
      write(memory, 6);
      write(memory, 15);
      assertEquals("c....cc........c", select(new Incremental(), guest, 16));
      memory.advise(Advice.DONTNEED, 5L * PAGE, PAGE);
      assertEquals("c.....c........c", select(new Incremental(), guest, 16));
      assertEquals("cccccccccccccccc", select(new Full(), guest, 16));
    }
  }

  @Test
  void memoryThatReplacedAPartOfTheImageIsZeroWhereItIsAbsent() throws Exception {
    try (NativeBuffer memory = NativeBuffer.mapPrivate(image(16), 0, 16L * PAGE)) {
      write(memory, 3);
      write(memory, 4);
      memory.replaceWithAnonymous(4L * PAGE, 6L * PAGE);
      write(memory, 9);
      write(memory, 10);
      assertEquals(0, read(memory, 5), "the shared page of zeros is present from now on");
      GuestMemory guest =
          guest(
              region(memory, 0, 4, PRIVATE_IMAGE),
              region(memory, 4, 6, ANONYMOUS),
              region(memory, 10, 6, PRIVATE_IMAGE));
      assertEquals("...czczzzcc.....", select(new Incremental(), guest, 16));
      assertEquals("cccczczzzccccccc", select(new Full(), guest, 16));
      memory.advise(Advice.DONTNEED, 9L * PAGE, PAGE);
      assertEquals("...czczzzzc.....", select(new Incremental(), guest, 16));
    }
  }

  @Test
  void rangesThatMeetAtABorderOfMappingsAreNotMixedUp() throws Exception {
    try (NativeBuffer first = NativeBuffer.allocate(4L * PAGE);
        NativeBuffer second = NativeBuffer.allocate(4L * PAGE)) {
      write(first, 3);
      write(second, 0);
      GuestMemory guest =
          guest(
              new MemoryRegion(0, first.address(), 4L * PAGE, ANONYMOUS),
              new MemoryRegion(4L * PAGE, second.address(), 4L * PAGE, ANONYMOUS));
      assertEquals("zzzcczzz", select(new Full(), guest, 8));
    }
  }

  @Test
  void hugePagesAreCopiedWholeAndHugeZerosAreNotLost() throws Exception {
    int pages = 4 * HUGE / PAGE;
    try (NativeBuffer memory = NativeBuffer.allocate(4L * HUGE)) {
      int aligned = (int) (-memory.address() & (HUGE - 1)) / PAGE;
      int inHuge = HUGE / PAGE;
      memory.advise(Advice.HUGEPAGE, (long) aligned * PAGE, 3L * HUGE);
      assertEquals(0, read(memory, aligned));
      write(memory, aligned + inHuge + 7);
      GuestMemory guest = guest(region(memory, 0, pages, ANONYMOUS));
      String selected = select(new Full(), guest, pages);
      assertEquals('c', selected.charAt(aligned + inHuge + 7));
      assertEquals('z', selected.charAt(aligned + 2 * inHuge));
      assertEquals(0, read(memory, aligned + 2 * inHuge));
      boolean hugePages = selected.charAt(aligned + inHuge) == 'c';
      Require.feature("thp", hugePages, "needs transparent huge pages (madvise or always)");
      assertEquals("c".repeat(2 * inHuge), selected.substring(aligned, aligned + 2 * inHuge));

      // A mapping may end inside a huge page, and a region need not start at one.
      GuestMemory part =
          guest(
              new MemoryRegion(
                  0,
                  memory.address() + (long) (aligned + inHuge - 1) * PAGE,
                  3L * PAGE,
                  ANONYMOUS));
      assertEquals("ccc", select(new Full(), part, 3));
    }
  }

  @Test
  void manyRunsAcrossTheScannersReads() throws Exception {
    int pages = 40_000;
    try (NativeBuffer memory = NativeBuffer.allocate((long) pages * PAGE)) {
      memory.advise(Advice.NOHUGEPAGE, 0, memory.sizeBytes());
      StringBuilder expected = new StringBuilder();
      for (int page = 0; page < pages; page++) {
        boolean used = page % 3 == 0 || Math.abs(page - 16 * 1024) < 5;
        if (used) {
          write(memory, page);
        }
        expected.append(used ? 'c' : 'z');
      }
      GuestMemory guest = guest(region(memory, 0, pages, ANONYMOUS));
      assertEquals(expected.toString(), select(new Full(), guest, pages));
    }
  }

  @Test
  void incrementalRefusesWhatItCannotTrack() throws Exception {
    try (NativeBuffer memory = NativeBuffer.mapPrivate(image(8), 0, 8L * PAGE)) {
      GuestMemory shared = guest(region(memory, 0, 4, PRIVATE_IMAGE), region(memory, 4, 4, SHARED));
      RametException e =
          assertThrows(RametException.class, () -> new Incremental().attach(shared).close());
      assertEquals(ErrorCode.UNSUPPORTED, e.code());
      assertTrue(String.valueOf(e.getMessage()).contains("shared"));
      assertEquals("cccccccc", select(new Full(), shared, 8));

      GuestMemory cold = guest(region(memory, 0, 8, ANONYMOUS));
      e = assertThrows(RametException.class, () -> new Incremental().attach(cold).close());
      assertEquals(ErrorCode.UNSUPPORTED, e.code());

      try (MemoryTracker tracker =
          new Incremental().attach(guest(region(memory, 0, 8, PRIVATE_IMAGE)))) {
        assertEquals(Baseline.RESTORE_IMAGE, tracker.baseline());
        e = assertThrows(RametException.class, () -> tracker.select(shared));
        assertEquals(ErrorCode.UNSUPPORTED, e.code());
      }
    }
  }

  @Test
  void partsOfTheImageThatAreNotMappedAreNeverSkipped() throws Exception {
    try (NativeBuffer memory = NativeBuffer.mapPrivate(image(8), 0, 8L * PAGE)) {
      MemoryRegion head = region(memory, 0, 3, PRIVATE_IMAGE);
      MemoryRegion tail = region(memory, 4, 4, PRIVATE_IMAGE);
      List<GuestMemory> wrong =
          List.of(
              guest(head, tail),
              guest(tail),
              new GuestMemory(PID, 8L * PAGE, List.of(head)),
              new GuestMemory(PID, 2L * PAGE, List.of(head)),
              new GuestMemory(PID, 8L * PAGE, List.of()),
              guest(head, region(memory, 2, 6, PRIVATE_IMAGE)),
              guest(new MemoryRegion(0, memory.address() + 1, PAGE, PRIVATE_IMAGE)));
      GuestMemory right = guest(region(memory, 0, 8, PRIVATE_IMAGE));
      for (MemoryMode mode : List.of(new Full(), new Incremental())) {
        try (MemoryTracker tracker = mode.attach(right)) {
          for (GuestMemory bad : wrong) {
            RametException e = assertThrows(RametException.class, () -> tracker.select(bad));
            assertEquals(ErrorCode.CORRUPT, e.code());
            assertThrows(RametException.class, () -> mode.attach(bad).close());
          }
        }
      }
    }
  }
}
