// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.pages;

import static dev.ramet.engine.pages.Machine.PAGE;
import static dev.ramet.engine.pages.Machine.PID;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.api.ErrorCode;
import dev.ramet.api.RametException;
import dev.ramet.linux.Fd;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.linux.ProcMaps;
import dev.ramet.spi.memory.Baseline;
import dev.ramet.spi.memory.PageRanges;
import dev.ramet.spi.storage.Attachment;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PageWriterTest {
  private static final int PAGES = 2048;
  private static final long MIB = 1 << 20;

  private final Path directory;
  private final StagingPool pool = new StagingPool(16 * MIB);
  private final PageWriter writer = new PageWriter(pool, 8 * MIB);

  PageWriterTest(@TempDir Path directory) {
    this.directory = directory;
  }

  @AfterEach
  void allStagingMemoryCameBack() {
    assertEquals(0, pool.usedBytes());
    assertTrue(pool.allocatedBytes() <= 16 * MIB);
    pool.close();
    assertEquals(0, pool.allocatedBytes());
  }

  private Path base(int pages) throws Exception {
    byte[] bytes = new byte[pages * PAGE];
    for (int page = 0; page < pages; page++) {
      Arrays.fill(bytes, page * PAGE, (page + 1) * PAGE, (byte) (page % 5));
    }
    return Files.write(directory.resolve("base"), bytes);
  }

  private Path empty(Path directory, long bytes) throws Exception {
    Path image = Files.createTempFile(directory, "image", "");
    try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
      file.setLength(bytes);
    }
    return image;
  }

  private static Attachment file(Path path) {
    return new Attachment(Attachment.Kind.FILE, path, false);
  }

  private PagesWritten capture(Path image, Baseline baseline, PageRanges ranges) {
    try (Capture capture = writer.open(file(image), baseline)) {
      capture.readWhilePaused(PID, ranges);
      return capture.finish();
    }
  }

  @Test
  void overABaseTheImageEqualsTheMemory() throws Exception {
    Path base = base(PAGES);
    byte[] before = Files.readAllBytes(base);
    for (int seed = 0; seed < 5; seed++) {
      Path image = Files.copy(base, directory.resolve("image" + seed));
      try (Machine machine = new Machine(base, PAGES, seed)) {
        PagesWritten written = capture(image, Baseline.RESTORE_IMAGE, machine.selected);

        assertArrayEquals(machine.content(), Files.readAllBytes(image));
        assertEquals(machine.selectedBytes(), written.selectedBytes());
        assertEquals(machine.zeroBytes, written.holeBytes());
        assertEquals(machine.selectedBytes() - machine.zeroBytes, written.writtenBytes());
      }
    }
    assertArrayEquals(before, Files.readAllBytes(base), "the base is only read");
  }

  @Test
  void whatWasCopiedBeforeThePauseMayBeOverwrittenAndBecomeZeros() throws Exception {
    Path image = empty(directory, (long) PAGES * PAGE);
    try (NativeBuffer memory = NativeBuffer.allocate((long) PAGES * PAGE);
        Capture capture = writer.open(file(image), Baseline.NONE)) {
      byte[] expected = new byte[PAGES * PAGE];
      Arrays.fill(expected, (byte) 3);
      memory.view(0, expected.length).put(expected);
      PageRanges all = new PageRanges.Builder().copy(0, memory.address(), expected.length).build();
      assertTrue(capture.copyWhileRunning(PID, all, System.nanoTime() + 60_000_000_000L));
      assertFalse(capture.copyWhileRunning(PID, all, System.nanoTime() - 1), "no time");
      Arrays.fill(expected, 5 * PAGE, 9 * PAGE, (byte) 0);
      Arrays.fill(expected, 20 * PAGE, 21 * PAGE, (byte) 4);
      memory.view(0, expected.length).put(expected);
      PageRanges again =
          new PageRanges.Builder()
              .copy(5L * PAGE, memory.address() + 5L * PAGE, 4L * PAGE)
              .copy(20L * PAGE, memory.address() + 20L * PAGE, PAGE)
              .build();
      capture.readWhilePaused(PID, again);
      PagesWritten written = capture.finish();
      assertArrayEquals(expected, Files.readAllBytes(image));
      assertEquals(4L * PAGE, written.holeBytes());
      assertEquals(written.selectedBytes(), written.writtenBytes() + written.holeBytes());
    }
  }

  @Test
  void whatTheBaseHoldsIsLeftOut() throws Exception {
    Path base = base(PAGES);
    Path image = Files.copy(base, directory.resolve("image"));
    try (NativeBuffer memory = NativeBuffer.mapPrivate(base, 0, (long) PAGES * PAGE);
        Capture capture = writer.open(file(image), Baseline.RESTORE_IMAGE, base)) {
      byte[] expected = Files.readAllBytes(base);
      // Of 1000 pages, 200 of which are zeros: one in the middle and the last are others.
      Arrays.fill(expected, 501 * PAGE, 502 * PAGE, (byte) 9);
      expected[999 * PAGE + PAGE - 1] = 8;
      memory.view(0, expected.length).put(expected);
      PageRanges written = new PageRanges.Builder().copy(0, memory.address(), 1000L * PAGE).build();
      capture.readWhilePaused(PID, written);
      PagesWritten done = capture.finish();
      assertArrayEquals(expected, Files.readAllBytes(image));
      assertEquals(2L * PAGE, done.writtenBytes());
      assertEquals(200L * PAGE, done.holeBytes());
      assertEquals(798L * PAGE, done.sameBytes());
      assertEquals(done.selectedBytes(), 1000L * PAGE);
    }
  }

  @Test
  void whereHardlyAPageIsAsTheBaseHasItFewAreComparedWithIt() throws Exception {
    int pages = 3000; // 600 of which are zeros and not compared anyway
    Path base = base(pages);
    Path image = Files.copy(base, directory.resolve("image"));
    try (NativeBuffer memory = NativeBuffer.mapPrivate(base, 0, (long) pages * PAGE);
        Capture capture = writer.open(file(image), Baseline.RESTORE_IMAGE, base)) {
      byte[] expected = Files.readAllBytes(base);
      for (int page = 0; page < Payoff.SAMPLE / 4 * 5; page++) {
        expected[page * PAGE] = (byte) (page % 5 == 0 ? 0 : 9);
      }
      memory.view(0, expected.length).put(expected);
      PageRanges all =
          new PageRanges.Builder().copy(0, memory.address(), (long) pages * PAGE).build();
      assertTrue(capture.copyWhileRunning(PID, all, System.nanoTime() + 60_000_000_000L));
      capture.readWhilePaused(PID, new PageRanges.Builder().build());
      PagesWritten done = capture.finish();
      assertArrayEquals(expected, Files.readAllBytes(image));
      assertEquals((Payoff.SAMPLE + Payoff.PASSED_OVER) * (long) PAGE, done.writtenBytes());
      assertEquals(600L * PAGE, done.holeBytes());
      assertEquals(
          (2400L - Payoff.SAMPLE - Payoff.PASSED_OVER) * PAGE, done.sameBytes(), "looked again");
    }
  }

  @Test
  void whatWasCopiedIsNotTakenForTheBase() throws Exception {
    Path base = base(PAGES);
    Path image = Files.copy(base, directory.resolve("image"));
    try (NativeBuffer memory = NativeBuffer.mapPrivate(base, 0, (long) PAGES * PAGE);
        Capture capture = writer.open(file(image), Baseline.RESTORE_IMAGE, base)) {
      // A page that was another, one that was zeros and one that stays, in the first round …
      memory.view(6L * PAGE, PAGE).put(0, (byte) 77);
      memory.view(7L * PAGE, PAGE).put(new byte[PAGE]);
      PageRanges three =
          new PageRanges.Builder().copy(6L * PAGE, memory.address() + 6L * PAGE, 3L * PAGE).build();
      assertTrue(capture.copyWhileRunning(PID, three, System.nanoTime() + 60_000_000_000L));
      // … hold what the base does when the machine stands still.
      memory.view(6L * PAGE, PAGE).put(0, (byte) 1);
      byte[] two = new byte[PAGE];
      Arrays.fill(two, (byte) 2);
      memory.view(7L * PAGE, PAGE).put(two);
      capture.readWhilePaused(PID, three);
      PagesWritten done = capture.finish();
      assertArrayEquals(Files.readAllBytes(base), Files.readAllBytes(image));
      assertEquals(3L * PAGE, done.writtenBytes());
      assertEquals(PAGE, done.holeBytes());
      assertEquals(2L * PAGE, done.sameBytes());
    }
  }

  @Test
  void aBaseThatIsNotInTheCacheOrNotThereIsNoObstacle() throws Exception {
    Path base = base(PAGES);
    try (Fd cold = Fd.openRead(base)) {
      cold.fsync();
      cold.dropCache(0, 0);
    }
    for (Path one : List.of(base, directory.resolve("none"))) {
      Path image = Files.copy(base, Files.createTempDirectory(directory, "to").resolve("image"));
      try (Machine machine = new Machine(base, PAGES, 3);
          Capture capture = writer.open(file(image), Baseline.RESTORE_IMAGE, one)) {
        capture.readWhilePaused(PID, machine.selected);
        capture.finish();
        assertArrayEquals(machine.content(), Files.readAllBytes(image));
      }
    }
  }

  @Test
  void pagesAreComparedWithAnImage() throws Exception {
    Path base = base(64);
    try (NativeBuffer memory = NativeBuffer.mapPrivate(base, 0, 64L * PAGE)) {
      PageRanges ranges =
          new PageRanges.Builder()
              .zero(0, PAGE)
              .copy(7L * PAGE, memory.address() + 7L * PAGE, 40L * PAGE)
              .build();
      assertTrue(SamePages.same(PID, ranges, base));
      memory.view(46L * PAGE, PAGE).put(PAGE - 1, (byte) 77);
      assertFalse(SamePages.same(PID, ranges, base));
      PageRanges wrong = new PageRanges.Builder().zero(PAGE, PAGE).build();
      assertFalse(SamePages.same(PID, wrong, base));
      PageRanges behind = new PageRanges.Builder().copy(64L * PAGE, memory.address(), PAGE).build();
      assertFalse(SamePages.same(PID, behind, base), "the image ends before");
    }
  }

  @Test
  void pagesWrittenByTheBaseBecomeRealHoles() throws Exception {
    byte[] ones = new byte[256 * PAGE];
    Arrays.fill(ones, (byte) 1);
    Path image =
        Files.write(
            directory.resolve("image"),
            ones,
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            StandardOpenOption.SYNC);
    long before = allocatedBytes(image);
    try (NativeBuffer zeros = NativeBuffer.allocate(64L * PAGE)) {
      PageRanges ranges =
          new PageRanges.Builder()
              .copy(0, zeros.address(), 64L * PAGE)
              .zero(128L * PAGE, 64L * PAGE)
              .build();
      PagesWritten written = capture(image, Baseline.PREVIOUS_CAPTURE, ranges);
      assertEquals(new PagesWritten(128L * PAGE, 0, 128L * PAGE, 0, 0), written);
    }
    Arrays.fill(ones, 0, 64 * PAGE, (byte) 0);
    Arrays.fill(ones, 128 * PAGE, 192 * PAGE, (byte) 0);
    assertArrayEquals(ones, Files.readAllBytes(image));
    // The file system may need a block to list the extents.
    long room = allocatedBytes(image) - (before - 128L * PAGE);
    assertTrue(room >= 0 && room <= PAGE, () -> room + " bytes more than the data");
  }

  @Test
  void withoutABaselineZerosTakeNoRoom() throws Exception {
    Path image = empty(directory, (long) PAGES * PAGE);
    try (Machine machine = new Machine(base(PAGES), PAGES, 7)) {
      byte[] content = machine.content();
      PagesWritten written = capture(image, Baseline.NONE, machine.whole());

      assertArrayEquals(content, Files.readAllBytes(image));
      assertEquals((long) PAGES * PAGE, written.selectedBytes());
      assertEquals(written.selectedBytes(), written.writtenBytes() + written.holeBytes());
      sync(image);
      // The file system may need a few blocks to list the extents.
      long room = allocatedBytes(image) - written.writtenBytes();
      assertTrue(room >= 0 && room <= 16L * PAGE, "room beyond what was written: " + room);
    }
  }

  @Test
  void whatDoesNotFitIntoStagingIsWrittenInThePause() throws Exception {
    int pages = 6 * 2048 + 17;
    Path base = base(pages);
    Path image = Files.copy(base, directory.resolve("image"));
    try (Machine machine = new Machine(base, pages, 3)) {
      PagesWritten written = capture(image, Baseline.RESTORE_IMAGE, machine.selected);

      assertArrayEquals(machine.content(), Files.readAllBytes(image));
      assertEquals(machine.selectedBytes(), written.writtenBytes() + written.holeBytes());
      assertTrue(machine.selected.copyBytes() > 8 * MIB);
      assertTrue(written.streamedBytes() >= machine.selected.copyBytes() - 8 * MIB);
      assertTrue(written.streamedBytes() < machine.selected.copyBytes());
    }
  }

  @Test
  void nothingSelectedIsNothingWritten() throws Exception {
    Path image = Files.copy(base(4), directory.resolve("image"));
    PagesWritten written = capture(image, Baseline.RESTORE_IMAGE, new PageRanges.Builder().build());
    assertEquals(new PagesWritten(0, 0, 0, 0, 0), written);
  }

  @Test
  void aFullDiskIsReportedWithItsFileWhenStagedAndWhenStreamed() throws Exception {
    Require.root();
    Path mount = Files.createDirectory(directory.resolve("small"));
    assertEquals(0, run("mount", "-t", "tmpfs", "-o", "size=1m", "none", mount.toString()));
    try (NativeBuffer memory = NativeBuffer.allocate(24 * MIB)) {
      for (long at = 0; at < memory.sizeBytes(); at += PAGE) {
        memory.view(at, 1).put(0, (byte) 1);
      }
      PageRanges fits = new PageRanges.Builder().copy(0, memory.address(), 4 * MIB).build();
      PageRanges large = new PageRanges.Builder().copy(0, memory.address(), 24 * MIB).build();
      Path image = empty(mount, 24 * MIB);
      try (Capture capture = writer.open(file(image), Baseline.NONE)) {
        capture.readWhilePaused(PID, fits);
        RametException e = assertThrows(RametException.class, capture::finish);
        assertFull(e, image);
        assertThrows(IllegalStateException.class, capture::finish);
      }
      try (Capture capture = writer.open(file(image), Baseline.NONE)) {
        assertFull(
            assertThrows(RametException.class, () -> capture.readWhilePaused(PID, large)), image);
        assertThrows(IllegalStateException.class, capture::finish);
      }
    } finally {
      run("umount", mount.toString());
    }
  }

  private static void assertFull(RametException e, Path image) {
    assertEquals(ErrorCode.NO_SPACE, e.code());
    assertTrue(String.valueOf(e.getMessage()).contains(image.toString()));
  }

  @Test
  void whereThereAreNoHolesZerosAreWritten() throws Exception {
    Require.root();
    Path mount = Files.createDirectory(directory.resolve("ram"));
    // ramfs answers fallocate with EOPNOTSUPP.
    assertEquals(0, run("mount", "-t", "ramfs", "none", mount.toString()));
    try (Machine machine = new Machine(base(PAGES), PAGES, 11)) {
      Path image = Files.copy(directory.resolve("base"), mount.resolve("image"));

      PagesWritten written = capture(image, Baseline.RESTORE_IMAGE, machine.selected);

      assertArrayEquals(machine.content(), Files.readAllBytes(image));
      assertEquals(machine.selectedBytes(), written.writtenBytes());
      assertEquals(0, written.holeBytes());
    } finally {
      run("umount", mount.toString());
    }
  }

  @Test
  void concurrentCapturesShareThePool() throws Exception {
    int machines = 8;
    int pages = 4096;
    Path base = base(pages);
    ExecutorService threads = Executors.newFixedThreadPool(machines);
    try {
      List<Callable<Boolean>> captures = new ArrayList<>();
      for (int seed = 0; seed < machines; seed++) {
        Path image = Files.copy(base, directory.resolve("concurrent" + seed));
        long own = seed;
        captures.add(
            () -> {
              try (Machine machine = new Machine(base, pages, own)) {
                capture(image, Baseline.RESTORE_IMAGE, machine.selected);
                assertArrayEquals(machine.content(), Files.readAllBytes(image));
                return pool.allocatedBytes() <= 16 * MIB;
              }
            });
      }
      for (Future<Boolean> done : threads.invokeAll(captures)) {
        assertTrue(done.get());
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void waitingForStagingCanBeInterrupted() throws Exception {
    Path image = empty(directory, PAGE);
    Path other = empty(directory, PAGE);
    try (StagingPool small = new StagingPool(0)) {
      PageWriter one = new PageWriter(small, 0);
      try (Capture holds = one.open(file(image), Baseline.NONE)) {
        Thread.currentThread().interrupt();
        RametException e =
            assertThrows(RametException.class, () -> one.open(file(other), Baseline.NONE).close());
        assertEquals(ErrorCode.CANCELLED, e.code());
        assertTrue(Thread.interrupted());
        holds.readWhilePaused(PID, new PageRanges.Builder().zero(0, PAGE).build());
        assertEquals(new PagesWritten(PAGE, 0, PAGE, 0, 0), holds.finish());
      }
    }
  }

  @Test
  void anotherProcessIsCapturedAndItsEndReported() throws Exception {
    Process child = new ProcessBuilder("sleep", "60").start();
    try {
      ProcMaps.Mapping head = ProcMaps.read(child.pid()).get(0);
      PageRanges ranges = new PageRanges.Builder().copy(0, head.start(), PAGE).build();
      Path image = empty(directory, PAGE);
      try (Capture capture = writer.open(file(image), Baseline.NONE)) {
        capture.readWhilePaused(child.pid(), ranges);
        capture.finish();
      }
      byte[] program = Files.readAllBytes(Path.of(head.path()));
      assertArrayEquals(Arrays.copyOf(program, PAGE), Files.readAllBytes(image));

      child.destroyForcibly().waitFor();

      try (Capture capture = writer.open(file(image), Baseline.NONE)) {
        RametException e =
            assertThrows(RametException.class, () -> capture.readWhilePaused(child.pid(), ranges));
        assertEquals(ErrorCode.HYPERVISOR_FAILED, e.code());
      }
    } finally {
      child.destroyForcibly().waitFor();
    }
  }

  @Test
  void badInputChangesNothing() throws Exception {
    Path image = Files.copy(base(4), directory.resolve("image"));
    byte[] before = Files.readAllBytes(image);
    PageRanges unmapped = new PageRanges.Builder().copy(0, 1 << 20, PAGE).build();
    PageRanges beyond = new PageRanges.Builder().zero(3L * PAGE, 2L * PAGE).build();
    for (var wrong :
        List.of(
            new Wrong(unmapped, ErrorCode.HYPERVISOR_FAILED),
            new Wrong(beyond, ErrorCode.CORRUPT))) {
      try (Capture capture = writer.open(file(image), Baseline.RESTORE_IMAGE)) {
        RametException e =
            assertThrows(RametException.class, () -> capture.readWhilePaused(PID, wrong.ranges()));
        assertEquals(wrong.code(), e.code());
      }
    }
    Attachment sealed = new Attachment(Attachment.Kind.FILE, image, true);
    RametException e =
        assertThrows(RametException.class, () -> writer.open(sealed, Baseline.NONE).close());
    assertEquals(ErrorCode.CONFLICT, e.code());
    Attachment absent = file(directory.resolve("absent"));
    e = assertThrows(RametException.class, () -> writer.open(absent, Baseline.NONE).close());
    assertEquals(ErrorCode.HOST_UNFIT, e.code());
    assertArrayEquals(before, Files.readAllBytes(image));
  }

  private record Wrong(PageRanges ranges, ErrorCode code) {}

  private static void sync(Path file) throws Exception {
    try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
      open.getFD().sync();
    }
  }

  /** stat(1): blocks of 512 bytes. */
  private static long allocatedBytes(Path file) throws Exception {
    Process stat = new ProcessBuilder("stat", "-c", "%b", file.toString()).start();
    byte[] answer = stat.getInputStream().readAllBytes();
    return 512 * Long.parseLong(new String(answer, StandardCharsets.US_ASCII).trim());
  }

  private static int run(String... command) throws Exception {
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start()
        .waitFor();
  }
}
