// SPDX-License-Identifier: Apache-2.0
package dev.ramet.memory;

import static dev.ramet.spi.memory.MemoryRegion.Kind.ANONYMOUS;
import static dev.ramet.spi.memory.MemoryRegion.Kind.PRIVATE_IMAGE;
import static dev.ramet.spi.memory.MemoryRegion.Kind.SHARED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.linux.NativeBuffer.Advice;
import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.memory.Baseline;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.MemoryMode;
import dev.ramet.spi.memory.MemoryModeProvider;
import dev.ramet.spi.memory.MemoryRegion;
import dev.ramet.spi.memory.MemoryTracker;
import dev.ramet.spi.memory.PageRanges;
import dev.ramet.testing.Require;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Both modes on real mappings of this process, where every page can be put into any state. */
class ModesTest {
  private static final int PAGE = NativeBuffer.PAGE_BYTES;
  private static final int HUGE = 2 << 20;
  private static final long PID = ProcessHandle.current().pid();

  private final Path directory;

  ModesTest(@TempDir Path directory) {
    this.directory = directory;
  }

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

  /** One letter a page: c copied, z zero, a dot for neither. */
  private static String select(MemoryMode mode, GuestMemory memory, int pages) {
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

  private static void write(NativeBuffer memory, int page) {
    memory.view((long) page * PAGE, 1).put(0, (byte) 99);
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

  @Test
  void aProcessThatEndedIsAFailedHypervisor() throws Exception {
    Process child = new ProcessBuilder("sleep", "60").start();
    GuestMemory memory =
        new GuestMemory(
            child.pid(), PAGE, List.of(new MemoryRegion(0, 1 << 20, PAGE, PRIVATE_IMAGE)));
    try (MemoryTracker tracker = new Incremental().attach(memory)) {
      child.destroyForcibly().waitFor();
      RametException e = assertThrows(RametException.class, () -> tracker.select(memory));
      assertEquals(ErrorCode.HYPERVISOR_FAILED, e.code());
    } finally {
      child.destroyForcibly().waitFor();
    }
    RametException e =
        assertThrows(RametException.class, () -> new Incremental().attach(memory).close());
    assertEquals(ErrorCode.HYPERVISOR_FAILED, e.code());
  }

  @Test
  void trackingModesProbeByDoing() throws Exception {
    assertUsableOrRemedy(new WriteTrackingProvider(), "use Linux 6.7 or newer");
    assertUsableOrRemedy(new SoftDirtyProvider(), "mode write-tracking");
    try (var files = Files.list(directory)) {
      assertEquals(0, files.count());
    }
  }

  /** The host's kernel decides, but where a mode is required it must be usable. */
  private void assertUsableOrRemedy(MemoryModeProvider provider, String remedy) {
    ProbeResult found = provider.probe(new ProbeContext(directory));
    if (found instanceof ProbeResult.Unusable no && !Kernels.required(provider)) {
      assertTrue(no.remedy().contains(remedy), no.remedy());
    } else {
      assertInstanceOf(ProbeResult.Usable.class, found);
    }
  }

  @Test
  void bothAreFoundAndUsableAndLeaveNoTrace() throws Exception {
    boolean named = ModesTest.class.getModule().isNamed();
    Require.feature("module-path", named, "services are declared in modules, and this is none");
    ModesTest.class.getModule().addUses(MemoryModeProvider.class);
    for (String id : List.of("full", "incremental")) {
      MemoryModeProvider provider =
          ServiceLoader.load(MemoryModeProvider.class).stream()
              .map(ServiceLoader.Provider::get)
              .filter(p -> p.id().equals(id))
              .findFirst()
              .orElseThrow();
      assertInstanceOf(ProbeResult.Usable.class, provider.probe(new ProbeContext(directory)), id);
      ProbeResult absent = provider.probe(new ProbeContext(directory.resolve("absent")));
      // full keeps nothing on disk, so it does not care.
      assertEquals(id.equals("full"), absent instanceof ProbeResult.Usable);
      provider.open(new ProbeContext(directory)).close();
    }
    try (var files = Files.list(directory)) {
      assertEquals(0, files.count());
    }
  }
}
