// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.testing.Require;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests how this kernel reports written pages, which the mode write-tracking relies on. */
class PagemapScanTest {
  private static final int PAGE = NativeBuffer.PAGE_BYTES;

  private static Userfaultfd open() throws LinuxException {
    LinuxException refusal = null;
    Userfaultfd opened = null;
    try {
      opened = Userfaultfd.openHere();
    } catch (LinuxException e) {
      refusal = e;
    }
    Require.feature("userfaultfd", opened != null, "needs Linux 6.7 on x86-64: " + refusal);
    return Objects.requireNonNull(opened);
  }

  private static BitSet written(NativeBuffer memory, boolean protect) throws LinuxException {
    BitSet written = new BitSet();
    long[] last = {memory.address()};
    try (PagemapScan scan = PagemapScan.open(ProcessHandle.current().pid())) {
      scan.scan(
          memory.address(),
          memory.sizeBytes(),
          true,
          (start, end, categories) -> {
            assertTrue(start >= last[0] && end > start, "ranges ascend");
            last[0] = end;
            if ((categories & PagemapScan.WRITTEN) != 0) {
              written.set(
                  (int) ((start - memory.address()) / PAGE),
                  (int) ((end - memory.address()) / PAGE));
            }
          });
      if (protect) {
        scan.protect(memory.address(), memory.sizeBytes());
      }
    }
    return written;
  }

  /** Around the sizes of the kernel's buffer (512) and of this class's (8192). */
  @Test
  void anyNumberOfRangesIsReportedOnce(@TempDir Path directory) throws Exception {
    // A file, because anonymous memory may come in huge pages.
    Path file = directory.resolve("image");
    try (RandomAccessFile image = new RandomAccessFile(file.toFile(), "rw")) {
      image.setLength(50_000L * PAGE);
    }
    for (int ranges : new int[] {1, 511, 512, 513, 1500, 8191, 8192, 8193, 20_000}) {
      int pages = ranges * 2 + 700;
      try (Userfaultfd protection = open();
          NativeBuffer memory = NativeBuffer.mapPrivate(file, 0, (long) pages * PAGE)) {
        protection.register(memory.address(), memory.sizeBytes());
        BitSet expected = new BitSet();
        for (int i = 0; i < ranges; i++) {
          memory.view(2L * i * PAGE, 1).put(0, (byte) 1);
          expected.set(2 * i);
        }
        assertTrue(expected.equals(written(memory, false)), ranges + " ranges");
        assertTrue(expected.equals(written(memory, true)), ranges + " ranges");
        assertEquals(new BitSet(), written(memory, true));
        memory.view(2L * (ranges - 1) * PAGE, 1).put(0, (byte) 2);
        memory.view((long) (pages - 1) * PAGE, 1).put(0, (byte) 2);
        expected.clear();
        expected.set(2 * (ranges - 1));
        expected.set(pages - 1);
        assertEquals(expected, written(memory, false));
      }
    }
  }

  @Test
  void memoryThatIsNotRegisteredIsAnError() throws Exception {
    try (Userfaultfd protection = open();
        NativeBuffer memory = NativeBuffer.allocate(4L * PAGE)) {
      protection.register(memory.address(), memory.sizeBytes());
      memory.replaceWithAnonymous(PAGE, PAGE);
      LinuxException e = assertThrows(LinuxException.class, () -> written(memory, false));
      assertEquals(LinuxException.EPERM, e.errno());
      protection.register(memory.address(), memory.sizeBytes());
      assertEquals(new BitSet(), written(memory, false));
      protection.unregister(memory.address(), memory.sizeBytes());
      e = assertThrows(LinuxException.class, () -> written(memory, false));
      assertEquals(LinuxException.EPERM, e.errno());
    }
  }
}
