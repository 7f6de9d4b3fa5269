// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.snapshots.ImageDifference;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.file.KernelCopy;
import dev.ramet.testing.LoopFs;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ImageComparisonTest {
  private static final int PAGE = 4096;
  private static final int PAGES = 4096;
  private static final long SIZE = (long) PAGES * PAGE;
  private static final long FS_BYTES = 512L << 20;

  private final Random random = new Random(4);
  @TempDir private Path directory;

  private static ImageDifference compare(Path a, Path b) {
    ImageDifference there = new ImageComparison(a, b, 1000).run();
    assertEquals(there, new ImageComparison(b, a, 1000).run(), "the order does not matter");
    return there;
  }

  private Path image(Path in, String name) throws IOException {
    Path path = in.resolve(name);
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
      file.setLength(SIZE);
      byte[] page = new byte[PAGE];
      for (int i = 0; i < PAGES; i++) {
        if (i % 7 != 0) { // The others are holes.
          random.nextBytes(page);
          file.seek((long) i * PAGE);
          file.write(page);
        }
      }
    }
    return path;
  }

  private static void write(Path path, long offset, byte[] bytes) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
      file.seek(offset);
      file.write(bytes);
    }
  }

  /** Writes random pages: a few changed bytes, all bytes, the same content, or zeros. */
  private void change(Path path) throws IOException {
    byte[] page = new byte[PAGE];
    for (int i = 0; i < 200; i++) {
      long at = (long) random.nextInt(PAGES) * PAGE;
      switch (i % 4) {
        case 0 -> write(path, at + random.nextInt(PAGE - 1), new byte[] {(byte) 0x5a, 0x25});
        case 1 -> {
          random.nextBytes(page);
          write(path, at, page);
        }
        case 2 -> {
          try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
            file.seek(at);
            file.readFully(page);
            file.seek(at);
            file.write(page);
          }
        }
        default -> write(path, at, new byte[PAGE]);
      }
    }
  }

  private static Set<Integer> pages(ImageDifference difference) {
    TreeSet<Integer> pages = new TreeSet<>();
    for (ImageDifference.Range range : difference.ranges()) {
      for (long at = range.offset(); at < range.offset() + range.length(); at += PAGE) {
        pages.add((int) (at / PAGE));
      }
    }
    return pages;
  }

  /** Returns the differing pages, found by reading both files completely. */
  private static Set<Integer> truth(Path a, Path b) throws IOException {
    byte[] one = Files.readAllBytes(a);
    byte[] other = Files.readAllBytes(b);
    TreeSet<Integer> differing = new TreeSet<>();
    for (int i = 0; i < PAGES; i++) {
      int from = i * PAGE;
      if (!Arrays.equals(one, from, from + PAGE, other, from, from + PAGE)) {
        differing.add(i);
      }
    }
    return differing;
  }

  private void clonesAreReadOnlyWhereOneWasWritten(Path in) throws Exception {
    Path base = image(in, "base");
    Path copy = in.resolve("copy");
    try (Fd source = Fd.openRead(base);
        Fd target = Fd.createNew(copy, 0600)) {
      KernelCopy.share(source, target);
    }
    ImageDifference none = compare(base, copy);
    assertEquals(0, none.differingBytes());
    assertEquals(0, none.comparedBytes(), "equal by their extents alone");
    change(copy);
    ImageDifference some = compare(base, copy);
    Set<Integer> truth = truth(base, copy);
    assertTrue(truth.size() > 50, truth.toString());
    assertEquals(truth, pages(some));
    assertEquals((long) truth.size() * PAGE, some.differingBytes());
    assertTrue(some.sharedBytes() > SIZE / 2, some.toString());
    assertTrue(some.comparedBytes() < SIZE / 3, some.toString());
  }

  @Test
  void onXfs() throws Exception {
    try (LoopFs fs = LoopFs.xfs(directory, FS_BYTES)) {
      clonesAreReadOnlyWhereOneWasWritten(fs.root());
    }
  }

  @Test
  void onBtrfs() throws Exception {
    try (LoopFs fs = LoopFs.btrfs(directory, FS_BYTES)) {
      clonesAreReadOnlyWhereOneWasWritten(fs.root());
    }
  }

  /** With compression, physical block numbers do not give the position of the data. */
  @Test
  void onBtrfsWithCompression() throws Exception {
    try (LoopFs fs = LoopFs.btrfs(directory, FS_BYTES)) {
      fs.remount("compress-force");
      Path base = image(fs.root(), "base");
      Path copy = fs.root().resolve("copy");
      write(base, 0, new byte[1 << 20]);
      try (Fd source = Fd.openRead(base);
          Fd target = Fd.createNew(copy, 0600)) {
        KernelCopy.share(source, target);
      }
      change(copy);
      assertEquals(truth(base, copy), pages(compare(base, copy)));
    }
  }

  @Test
  void filesThatShareNothingAreReadAndHolesAreZeros() throws Exception {
    Path base = image(directory, "base");
    Path copy = directory.resolve("copy");
    Files.copy(base, copy);
    assertEquals(0, compare(base, copy).differingBytes());
    change(copy);
    assertEquals(truth(base, copy), pages(compare(base, copy)));
    Path empty = directory.resolve("empty");
    try (RandomAccessFile file = new RandomAccessFile(empty.toFile(), "rw")) {
      file.setLength(SIZE);
    }
    assertEquals((PAGES - (PAGES + 6) / 7) * (long) PAGE, compare(base, empty).differingBytes());
  }

  @Test
  void whatHasAnotherLengthDiffersWhereTheLongerHasMoreThanZeros() throws Exception {
    Path small = directory.resolve("small");
    Path large = directory.resolve("large");
    Files.write(small, new byte[] {1});
    Files.write(large, new byte[] {1});
    write(large, 10 * PAGE + 5, new byte[] {2});
    write(large, 20 * PAGE, new byte[3 * PAGE]);
    ImageDifference difference = compare(small, large);
    assertEquals(List.of(new ImageDifference.Range(10 * PAGE, PAGE)), difference.ranges());
    assertEquals(23 * PAGE, difference.sizeBytes());
  }

  @Test
  void rangesAreCountedBeyondTheLimit() throws Exception {
    Path a = directory.resolve("a");
    Path b = directory.resolve("b");
    Files.write(a, new byte[64 * PAGE]);
    Files.write(b, new byte[64 * PAGE]);
    for (int i = 0; i < 64; i += 2) {
      write(b, (long) i * PAGE, new byte[] {9});
    }
    ImageDifference difference = new ImageComparison(a, b, 3).run();
    assertEquals(32, difference.rangeCount());
    assertEquals(3, difference.ranges().size());
  }

  @Test
  void anImageThatIsNotThereIsTold() {
    RametException gone =
        assertThrows(
            RametException.class, () -> compare(directory.resolve("x"), directory.resolve("y")));
    assertEquals(ErrorCode.CORRUPT, gone.code());
    assertTrue(gone.getCause() instanceof LinuxException);
  }
}
