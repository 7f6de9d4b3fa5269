// SPDX-License-Identifier: Apache-2.0
package dev.ramet.memory;

import static dev.ramet.spi.memory.MemoryRegion.Kind.PRIVATE_IMAGE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.MemoryModeProvider;
import dev.ramet.spi.memory.MemoryRegion;
import dev.ramet.spi.memory.MemoryTracker;
import dev.ramet.testing.Require;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks that memory modes are found and probed by doing. */
final class ModeProbesTest extends ModesGround {
  ModeProbesTest(@TempDir Path directory) {
    super(directory);
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
    boolean named = ModeProbesTest.class.getModule().isNamed();
    Require.feature("module-path", named, "services are declared in modules, and this is none");
    ModeProbesTest.class.getModule().addUses(MemoryModeProvider.class);
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
