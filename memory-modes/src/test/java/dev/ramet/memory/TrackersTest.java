// SPDX-License-Identifier: Apache-2.0
package dev.ramet.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
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
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests what tracking modes refuse, lose and leave behind, in addition to the conformance kit. */
final class TrackersTest extends TrackersGround {
  TrackersTest(@TempDir Path directory) {
    super(directory);
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
