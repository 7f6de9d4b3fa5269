// SPDX-License-Identifier: Apache-2.0
package dev.ramet.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.linux.NativeBuffer;
import dev.ramet.linux.process.ProcMaps;
import dev.ramet.linux.process.ProcessMemory;
import dev.ramet.linux.process.ProcessStat;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.MemoryRegion;
import dev.ramet.spi.memory.MemoryTracker;
import dev.ramet.spi.memory.PageRanges;
import dev.ramet.testing.Require;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The incremental rule on the memory of a real, unmodified hypervisor whose firmware runs. */
class QemuTest {
  static final int SIZE = 64 << 20;
  private static final int PAGE = NativeBuffer.PAGE_BYTES;

  @Test
  void whatIsNotSelectedEqualsTheImage(@TempDir Path directory) throws Exception {
    boolean present = Files.isExecutable(Path.of("/usr/bin/qemu-system-x86_64"));
    Require.feature("qemu", present, "needs qemu-system-x86_64");
    byte[] content = new byte[SIZE];
    new Random(5).nextBytes(content);
    Path image = Files.write(directory.resolve("image"), content);
    Process qemu =
        new ProcessBuilder(
                "/usr/bin/qemu-system-x86_64",
                "-object",
                "memory-backend-file,id=ram,size=64M,share=off,mem-path=" + image,
                "-machine",
                "pc,accel=tcg,memory-backend=ram",
                "-m",
                "64M",
                "-nodefaults",
                "-no-user-config",
                "-display",
                "none")
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("log").toFile())
            .start();
    try {
      GuestMemory guest = memoryOnceWritten(qemu, image);
      stop(qemu);
      try (MemoryTracker tracker = new Incremental().attach(guest)) {
        PageRanges ranges = tracker.select(guest);
        assertTrue(ranges.copyBytes() > 0 && ranges.copyBytes() < SIZE / 4, "firmware is small");
        assertEquals(0, ranges.zeroBytes());
        assertUnselectedPagesEqual(guest, ranges, content);
      }
    } finally {
      qemu.destroyForcibly().waitFor();
    }
  }

  /** Waits until the firmware has written some hundred pages. */
  static GuestMemory memoryOnceWritten(Process qemu, Path image) throws Exception {
    long deadline = System.nanoTime() + 300_000_000_000L;
    while (qemu.isAlive() && System.nanoTime() < deadline) {
      for (ProcMaps.Mapping mapping : ProcMaps.read(qemu.pid())) {
        if (mapping.path().equals(image.toString()) && mapping.lengthBytes() == SIZE) {
          GuestMemory guest =
              new GuestMemory(
                  qemu.pid(),
                  SIZE,
                  List.of(
                      new MemoryRegion(0, mapping.start(), SIZE, MemoryRegion.Kind.PRIVATE_IMAGE)));
          try (MemoryTracker tracker = new Incremental().attach(guest)) {
            if (tracker.select(guest).copyBytes() > 100 * PAGE) {
              return guest;
            }
          }
        }
      }
      Thread.sleep(50);
    }
    throw new AssertionError("no machine that writes its memory");
  }

  static void stop(Process process) throws Exception {
    Process kill = new ProcessBuilder("kill", "-STOP", Long.toString(process.pid())).start();
    assertEquals(0, kill.waitFor());
    // Each thread stops by itself: the machine stands still when the last one does.
    while (running(process.pid())) {
      Thread.sleep(1);
    }
  }

  private static boolean running(long pid) throws Exception {
    try (var threads = Files.list(Path.of("/proc/" + pid + "/task"))) {
      for (Path thread : (Iterable<Path>) threads::iterator) {
        if (ProcessStat.read(Long.parseLong(thread.getFileName().toString())).state() != 'T') {
          return true;
        }
      }
      return false;
    }
  }

  private static void assertUnselectedPagesEqual(
      GuestMemory guest, PageRanges ranges, byte[] content) throws Exception {
    try (NativeBuffer copy = NativeBuffer.allocate(SIZE);
        ProcessMemory memory = new ProcessMemory(guest.pid())) {
      memory.add(guest.regions().get(0).address(), SIZE);
      memory.read(copy, 0);
      ByteBuffer now = copy.view(0, SIZE);
      ByteBuffer base = ByteBuffer.wrap(content);
      int at = 0;
      for (int i = 0; i <= ranges.count(); i++) {
        int end = i < ranges.count() ? (int) ranges.imageOffset(i) : SIZE;
        now.limit(end).position(at);
        base.limit(end).position(at);
        assertEquals(-1, now.mismatch(base), "a page before " + end + " was lost");
        at = i < ranges.count() ? (int) (end + ranges.lengthBytes(i)) : SIZE;
      }
    }
  }
}
