// SPDX-License-Identifier: Apache-2.0
package dev.ramet.memory;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.linux.process.ProcMaps;
import dev.ramet.memory.page.MergeDaemon;
import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.memory.Baseline;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.MemoryMode;
import dev.ramet.spi.memory.MemoryRegion;
import dev.ramet.spi.memory.MemoryTracker;
import dev.ramet.testing.Require;
import dev.ramet.testing.Tracee;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests what tracking modes refuse, lose and leave behind, in addition to the conformance kit. */
@Timeout(900)
class TrackersTest {
  private static final int PAGE = NativeBuffer.PAGE_BYTES;
  private static final int PAGES = 2048;

  private final Path directory;

  TrackersTest(@TempDir Path directory) {
    this.directory = directory;
  }

  private Path image() throws Exception {
    byte[] bytes = new byte[PAGES * PAGE];
    new Random(1).nextBytes(bytes);
    Arrays.fill(bytes, 100 * PAGE, 140 * PAGE, (byte) 0);
    return Files.write(directory.resolve("image"), bytes);
  }

  private MemoryMode tracking() {
    WriteTrackingProvider provider = new WriteTrackingProvider();
    ProbeResult found = provider.probe(new ProbeContext(directory));
    Require.feature("userfaultfd", found instanceof ProbeResult.Usable, found.toString());
    return provider.open(new ProbeContext(directory));
  }

  private MemoryMode softDirty() {
    SoftDirtyProvider provider = new SoftDirtyProvider();
    ProbeResult found = provider.probe(new ProbeContext(directory));
    Require.feature("softdirty", found instanceof ProbeResult.Usable, found.toString());
    return provider.open(new ProbeContext(directory));
  }

  @Test
  void aKernelThatCannotTrackRefusesAndHarmsNobody() throws Exception {
    WriteTrackingProvider provider = new WriteTrackingProvider();
    boolean able = provider.probe(new ProbeContext(directory)) instanceof ProbeResult.Usable;
    Path image = image();
    try (Tracee tracee = new Tracee(directory, image, PAGES, "threads")) {
      Set<String> before = tracee.descriptors();
      GuestMemory memory = memory(tracee, image);
      MemoryMode mode = provider.open(new ProbeContext(directory));
      if (able) {
        mode.attach(memory).close();
      } else {
        RametException e = assertThrows(RametException.class, () -> mode.attach(memory).close());
        assertEquals(ErrorCode.UNSUPPORTED, e.code());
        assertTrue(String.valueOf(e.remedy()).contains("use Linux 6.7 or newer"));
      }
      tracee.command("w 0 64 1");
      assertEquals(before, tracee.descriptors());
    }
  }

  /** Returns the memory as the process has it mapped now. */
  private static GuestMemory memory(Tracee tracee, Path image) throws LinuxException {
    long start = tracee.address();
    long end = start + (long) PAGES * PAGE;
    List<MemoryRegion> regions = new ArrayList<>();
    for (ProcMaps.Mapping mapping : ProcMaps.read(tracee.pid())) {
      long from = Math.max(start, mapping.start());
      long to = Math.min(end, mapping.end());
      if (from < to) {
        boolean file = mapping.path().equals(image.toString());
        MemoryRegion.Kind kind =
            file ? MemoryRegion.Kind.PRIVATE_IMAGE : MemoryRegion.Kind.ANONYMOUS;
        regions.add(new MemoryRegion(from - start, from, to - from, kind));
      }
    }
    return new GuestMemory(tracee.pid(), (long) PAGES * PAGE, regions);
  }

  @Test
  void softDirtyIsRefusedWhereItLoses() throws Exception {
    MemoryMode mode = softDirty();
    Path image = image();
    Path control = Files.writeString(directory.resolve("run"), "0\n");
    MemoryMode merged = new SoftDirty(new MergeDaemon(control));
    try (Tracee tracee = new Tracee(directory, image, PAGES, "threads")) {
      GuestMemory memory = memory(tracee, image);
      try (MemoryTracker tracker = mode.attach(memory)) {
        RametException e = assertThrows(RametException.class, () -> mode.attach(memory).close());
        assertEquals(ErrorCode.CONFLICT, e.code());
        assertEquals(0, tracker.select(memory).count());
      }
      mode.attach(memory).close();
      try (MemoryTracker tracker = merged.attach(memory)) {
        tracker.select(memory);
        tracker.committed();
        Files.writeString(control, "1\n");
        RametException e = assertThrows(RametException.class, () -> tracker.select(memory));
        assertTrue(String.valueOf(e.getMessage()).startsWith("tracking lost"));
        assertThrows(RametException.class, () -> merged.attach(memory).close());
      }
    }
  }

  @Test
  void nothingStaysBehind() throws Exception {
    MemoryMode mode = tracking();
    Path image = image();
    try (Tracee tracee = new Tracee(directory, image, PAGES, "threads")) {
      Set<String> before = tracee.descriptors();
      tracee.command("w 0 64 1");
      GuestMemory memory = memory(tracee, image);
      MemoryTracker tracker = mode.attach(memory);
      assertEquals(before, tracee.descriptors());
      assertFalse(registered(tracee), "nothing is registered before the first capture");
      tracker.select(memory);
      tracker.committed();
      assertTrue(registered(tracee));
      assertEquals(before, tracee.descriptors());
      assertEquals(0, tracker.select(memory).count());
      tracker.close();
      tracker.close();
      assertFalse(registered(tracee));
      try (MemoryTracker again = mode.attach(memory)) {
        assertEquals(64L * PAGE, again.select(memory).copyBytes());
        again.committed();
        RametException e = assertThrows(RametException.class, () -> mode.attach(memory).close());
        assertEquals(ErrorCode.UNSUPPORTED, e.code(), "memory is registered once");
        assertEquals(0, again.select(memory).count());
      }
      assertFalse(registered(tracee));
    }
  }

  @Test
  void deathOfTheTrackerLeavesTheProcessAsItWas() throws Exception {
    tracking().close();
    Path image = image();
    String separator = System.getProperty("path.separator");
    String path =
        String.join(
            separator,
            "target/test-classes",
            System.getProperty("jdk.module.path", ""),
            System.getProperty("java.class.path", ""));
    try (Tracee tracee = new Tracee(directory, image, PAGES, "threads")) {
      Set<String> before = tracee.descriptors();
      tracee.command("w 0 64 1");
      Process holder =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  // Kept small, because it runs alongside the tests' JVM on a machine with little
                  // memory.
                  "-Xmx64m",
                  "-XX:+UseSerialGC",
                  "-XX:TieredStopAtLevel=1",
                  "-cp",
                  path,
                  Holder.class.getName(),
                  Long.toString(tracee.pid()),
                  Long.toString(tracee.address()),
                  Long.toString((long) PAGES * PAGE))
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      try {
        int first = holder.getInputStream().read();
        if (first != '!') {
          // A JVM that cannot go on says why there, and ends.
          fail((char) first + new String(holder.getInputStream().readAllBytes(), UTF_8));
        }
        assertTrue(registered(tracee));
        assertEquals(before, tracee.descriptors());
      } finally {
        holder.destroyForcibly().waitFor();
      }
      assertFalse(registered(tracee));
      tracee.command("w 32 64 2");
      try (MemoryTracker tracker = new WriteTracking().attach(memory(tracee, image))) {
        assertEquals(96L * PAGE, tracker.select(memory(tracee, image)).copyBytes());
      }
    }
  }

  /** Tracks a process until it is killed. */
  static final class Holder {
    private Holder() {}

    public static void main(String[] arguments) throws Exception {
      long length = Long.parseLong(arguments[2]);
      GuestMemory memory =
          new GuestMemory(
              Long.parseLong(arguments[0]),
              length,
              List.of(
                  new MemoryRegion(
                      0, Long.parseLong(arguments[1]), length, MemoryRegion.Kind.PRIVATE_IMAGE)));
      try (MemoryTracker tracker = new WriteTracking().attach(memory)) {
        tracker.select(memory);
        tracker.committed();
        System.out.write('!');
        System.out.flush();
        Thread.sleep(60_000);
      }
    }
  }

  /** Returns whether any mapping has the flag "uw": registered for write protection. */
  private static boolean registered(Tracee tracee) throws Exception {
    return Files.readAllLines(Path.of("/proc/" + tracee.pid() + "/smaps")).stream()
        .anyMatch(line -> line.startsWith("VmFlags:") && (line + " ").contains(" uw "));
  }

  @Test
  void lostTrackingIsAnErrorAndThenStartsOver() throws Exception {
    MemoryMode mode = tracking();
    Path image = image();
    try (Tracee tracee = new Tracee(directory, image, PAGES, "threads")) {
      tracee.command("w 0 64 1");
      GuestMemory memory = memory(tracee, image);
      try (MemoryTracker tracker = mode.attach(memory)) {
        tracker.select(memory);
        tracker.committed();
        tracee.command("m 32 1");
        tracee.command("w 50 1 2");
        RametException e =
            assertThrows(RametException.class, () -> tracker.select(memory(tracee, image)));
        assertEquals(ErrorCode.UNSUPPORTED, e.code());
        assertTrue(String.valueOf(e.getMessage()).startsWith("tracking lost"));
        assertEquals(Baseline.RESTORE_IMAGE, tracker.baseline());
        assertFalse(registered(tracee));
        assertEquals(63L * PAGE, tracker.select(memory(tracee, image)).copyBytes());
        tracker.committed();
        assertEquals(Baseline.PREVIOUS_CAPTURE, tracker.baseline());
        tracee.command("w 7 1 3");
        assertEquals(PAGE, tracker.select(memory(tracee, image)).copyBytes());
      }
    }
  }

  @Test
  void refusals() throws Exception {
    MemoryMode mode = tracking();
    Path image = image();
    for (String filter : List.of("0x80000000", "0x50001")) {
      try (Tracee tracee = new Tracee(directory, image, PAGES, filter)) {
        RametException e =
            assertThrows(RametException.class, () -> mode.attach(memory(tracee, image)).close());
        assertEquals(ErrorCode.UNSUPPORTED, e.code());
        tracee.command("r 0 1");
      }
    }
    try (Tracee tracee = new Tracee(directory, image, PAGES, "threads")) {
      GuestMemory memory = memory(tracee, image);
      GuestMemory shared =
          new GuestMemory(
              tracee.pid(),
              memory.imageSizeBytes(),
              List.of(
                  new MemoryRegion(
                      0, tracee.address(), memory.imageSizeBytes(), MemoryRegion.Kind.SHARED)));
      RametException e = assertThrows(RametException.class, () -> mode.attach(shared).close());
      assertEquals(ErrorCode.UNSUPPORTED, e.code());
      try (MemoryTracker tracker = mode.attach(memory)) {
        e = assertThrows(RametException.class, tracker::committed);
        assertEquals(ErrorCode.INTERNAL, e.code());
        tracker.select(memory);
        tracker.committed();
        tracee.kill("KILL");
        while (tracee.alive()) {
          Thread.sleep(1);
        }
        e = assertThrows(RametException.class, () -> tracker.select(memory));
        assertEquals(ErrorCode.HYPERVISOR_FAILED, e.code());
      }
      e = assertThrows(RametException.class, () -> mode.attach(memory).close());
      assertEquals(ErrorCode.HYPERVISOR_FAILED, e.code());
      // No process may trace itself, which stands for every process that may not be traced.
      GuestMemory own =
          new GuestMemory(ProcessHandle.current().pid(), memory.imageSizeBytes(), memory.regions());
      e = assertThrows(RametException.class, () -> mode.attach(own).close());
      assertEquals(ErrorCode.HOST_UNFIT, e.code());
      assertTrue(String.valueOf(e.remedy()).contains("CAP_SYS_PTRACE"));
    }
  }
}
