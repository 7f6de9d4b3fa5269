// SPDX-License-Identifier: Apache-2.0
package dev.ramet.memory.page;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.spi.memory.MemoryRegion;
import dev.ramet.spi.memory.PageRanges;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the kernel's own search agrees with the page table, on kernels that support both. */
final class SelectorTest {
  private static final int PAGE = NativeBuffer.PAGE_BYTES;

  /** So many that their runs do not fit into one answer of the kernel. */
  private static final int PAGES = 40_000;

  private static final long PID = ProcessHandle.current().pid();

  @TempDir Path directory;

  private static List<String> list(PageRanges ranges) {
    List<String> all = new ArrayList<>();
    for (int i = 0; i < ranges.count(); i++) {
      all.add(ranges.imageOffset(i) + " " + ranges.address(i) + " " + ranges.lengthBytes(i));
    }
    return all;
  }

  private static void assertSame(MemoryRegion region) {
    PageRanges.Builder found = new PageRanges.Builder();
    PageRanges.Builder read = new PageRanges.Builder();
    SelectionRule rule = SelectionRule.forKind(region.kind());
    try (Selector selector = Selector.open(PID);
        Scanner scanner = Scanner.open(PID)) {
      selector.select(region, rule, found);
      scanner.scan(region, rule, read);
    }
    assertEquals(list(read.build()), list(found.build()));
  }

  @Test
  void copiesOfAnImage() throws Exception {
    Path image = directory.resolve("image");
    try (var file = new java.io.RandomAccessFile(image.toFile(), "rw")) {
      file.setLength((long) PAGES * PAGE);
    }
    try (NativeBuffer memory = NativeBuffer.mapPrivate(image, 0, (long) PAGES * PAGE)) {
      MemoryRegion region =
          new MemoryRegion(
              1 << 20, memory.address(), (long) PAGES * PAGE, MemoryRegion.Kind.PRIVATE_IMAGE);
      assertSame(region);
      ByteBuffer view = memory.view(0, PAGES * PAGE);
      Random random = new Random(1);
      for (int page = 0; page < PAGES; page++) {
        switch (random.nextInt(3)) {
          case 0 -> view.put(page * PAGE, (byte) 1);
          case 1 -> view.get(page * PAGE);
          default -> {}
        }
      }
      assertSame(region);
      for (int page = 0; page < PAGES; page += 2) {
        view.put(page * PAGE, (byte) 2);
      }
      assertSame(region);
    } finally {
      Files.delete(image);
    }
  }

  @Test
  void anonymousMemory() throws Exception {
    try (NativeBuffer memory = NativeBuffer.allocate((long) PAGES * PAGE)) {
      MemoryRegion region =
          new MemoryRegion(0, memory.address(), (long) PAGES * PAGE, MemoryRegion.Kind.ANONYMOUS);
      assertSame(region);
      ByteBuffer view = memory.view(0, PAGES * PAGE);
      for (int page = 1; page < PAGES - 1; page += 2) {
        view.put(page * PAGE, (byte) 1);
      }
      assertSame(region);
    }
  }

  @Test
  void aProcessThatHasEnded() throws Exception {
    Process process = new ProcessBuilder("sleep", "1000").start();
    try (Selector selector = Selector.open(process.pid())) {
      process.destroyForcibly().waitFor();
      MemoryRegion region = new MemoryRegion(0, 1 << 30, PAGE, MemoryRegion.Kind.PRIVATE_IMAGE);
      RametException gone =
          assertThrows(
              RametException.class,
              () ->
                  selector.select(region, SelectionRule.CHANGED_COPIES, new PageRanges.Builder()));
      assertEquals(ErrorCode.HYPERVISOR_FAILED, gone.code());
    }
  }
}
