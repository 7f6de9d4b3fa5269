// SPDX-License-Identifier: Apache-2.0
package dev.ramet.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.linux.NativeBuffer;
import dev.ramet.linux.process.ProcessMemory;
import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.MemoryTracker;
import dev.ramet.spi.memory.PageRanges;
import dev.ramet.testing.Require;
import java.io.Writer;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Write tracking inside a stock hypervisor that filters its own system calls. */
@Timeout(900)
class QemuTrackingTest {
  private static final int SIZE = QemuTest.SIZE;

  @Test
  void capturesOfASandboxedMachineCompose(@TempDir Path directory) throws Exception {
    Require.root();
    boolean present = Files.isExecutable(Path.of("/usr/bin/qemu-system-x86_64"));
    Require.feature("qemu", present, "needs qemu-system-x86_64");
    ProbeResult found = new WriteTrackingProvider().probe(new ProbeContext(directory));
    Require.feature("userfaultfd", found instanceof ProbeResult.Usable, found.toString());
    byte[] previous = new byte[SIZE];
    new Random(6).nextBytes(previous);
    Path image = Files.write(directory.resolve("image"), previous);
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
                "none",
                "-monitor",
                "stdio",
                "-sandbox",
                "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny")
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("log").toFile())
            .start();
    try (Writer monitor = qemu.outputWriter(StandardCharsets.US_ASCII)) {
      GuestMemory guest = QemuTest.memoryOnceWritten(qemu, image);
      List<String> status = Files.readAllLines(Path.of("/proc/" + qemu.pid() + "/status"));
      assertTrue(status.contains("Seccomp:\t2"), "it filters its calls");
      Set<String> before = descriptors(qemu);
      try (MemoryTracker tracker = new WriteTracking().attach(guest)) {
        long first = 0;
        long quiet = Long.MAX_VALUE;
        for (int generation = 0; generation < 8; generation++) {
          QemuTest.stop(qemu);
          PageRanges ranges = tracker.select(guest);
          overlay(guest, ranges, previous, generation);
          tracker.committed();
          first = generation == 0 ? ranges.copyBytes() : first;
          quiet = Math.min(quiet, ranges.copyBytes());
          kill(qemu, "CONT");
          if (generation % 3 == 2) {
            monitor.write("system_reset\n"); // The firmware starts over and writes again.
            monitor.flush();
          }
          Thread.sleep(300);
        }
        assertTrue(quiet < first / 4, quiet + " of " + first);
      }
      assertEquals(before, descriptors(qemu));
      assertTrue(qemu.isAlive(), "the machine runs on");
      monitor.write("quit\n");
      monitor.flush();
      assertEquals(0, qemu.waitFor());
    } finally {
      qemu.destroyForcibly().waitFor();
    }
  }

  private static Set<String> descriptors(Process process) throws Exception {
    Set<String> found = new TreeSet<>();
    try (var files = Files.list(Path.of("/proc/" + process.pid() + "/fd"))) {
      for (Path fd : (Iterable<Path>) files::iterator) {
        found.add(fd.getFileName() + " " + Files.readSymbolicLink(fd));
      }
    }
    return found;
  }

  private static void overlay(GuestMemory guest, PageRanges ranges, byte[] base, int generation)
      throws Exception {
    try (ProcessMemory memory = new ProcessMemory(guest.pid());
        NativeBuffer copy = NativeBuffer.allocate(SIZE)) {
      for (int i = 0; i < ranges.count(); i++) {
        int length = (int) ranges.lengthBytes(i);
        memory.add(ranges.address(i), length);
        memory.read(copy, 0);
        copy.view(0, length).get(base, (int) ranges.imageOffset(i), length);
      }
      memory.add(guest.regions().get(0).address(), SIZE);
      memory.read(copy, 0);
      int wrong = copy.view(0, SIZE).mismatch(ByteBuffer.wrap(base));
      assertEquals(-1, wrong, () -> "generation " + generation + " lost a page at " + wrong);
    }
  }

  private static void kill(Process process, String signal) throws Exception {
    new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid())).start().waitFor();
  }
}
