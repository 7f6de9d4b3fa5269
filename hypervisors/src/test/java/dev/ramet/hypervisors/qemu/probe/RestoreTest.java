// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.hypervisors.qemu.monitor.Deadline;
import dev.ramet.hypervisors.qemu.vm.Bench;
import dev.ramet.hypervisors.qemu.vm.QemuVm;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.SavedVm;
import dev.ramet.spi.hypervisor.VmSpec;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.MemoryRegion;
import dev.ramet.spi.memory.MemorySource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests how machines are saved and restored. */
public class RestoreTest {
  private final Path root;
  @AutoClose private final Bench bench;

  RestoreTest(@TempDir Path root) throws IOException {
    this.root = root;
    bench = new Bench(root);
  }

  @Test
  void aMachineRunsOnAfterItWasSaved() throws Exception {
    RunningVm vm = bench.boot("vm");
    int count;
    try (PausedVm paused = vm.pause()) {
      count = Bench.count(vm);
      assertEquals(
          List.of(MemoryRegion.Kind.SHARED),
          paused.memory().regions().stream().map(MemoryRegion::kind).distinct().toList());
      Path saved = Files.createDirectory(root.resolve("saved"));
      paused.saveDevices(saved);
      assertEquals(Set.of("devices", "ram-blocks"), names(saved));
      assertEquals(count, Bench.count(vm));
    }
    Bench.awaitCounting(vm);
    vm.pause().resume();
    Bench.awaitCounting(vm);
    vm.kill(Bench.PATIENCE);
    assertEquals(Set.of("console.log", "ram-blocks", "vmm.log"), names(vm.spec().directory()));
    assertTrue(vm.exit().toCompletableFuture().get().requested());
  }

  @Test
  void aRestoredMachineHasTheSavedMemoryAndLeavesTheImageAlone() throws Exception {
    SavedVm saved = bench.save(bench.boot("vm"), "saved");
    byte[] image = Files.readAllBytes(saved.memory().path());
    try (PausedVm paused = bench.driver.restore(bench.spec("clone"), saved, Bench.PATIENCE)) {
      GuestMemory memory = paused.memory();
      assertEquals(Bench.MEMORY_BYTES, memory.imageSizeBytes());
      assertEquals(
          List.of(
              new MemoryRegion(
                  0,
                  memory.regions().get(0).address(),
                  Bench.MEMORY_BYTES,
                  MemoryRegion.Kind.PRIVATE_IMAGE)),
          memory.regions());
      Path now = root.resolve("now");
      Trial.copy(memory, now);
      assertSameButGenerationId(image, Files.readAllBytes(now));
      RunningVm vm = paused.resume();
      assertEquals(vm, paused.resume());
      Bench.awaitCounting(vm);
    }
    assertTrue(Arrays.equals(image, Files.readAllBytes(saved.memory().path())));
  }

  /** A restored process writes a new generation id, 16 bytes, at the place the guest requested. */
  private static void assertSameButGenerationId(byte[] expected, byte[] actual) {
    assertEquals(expected.length, actual.length);
    Set<Integer> differing = new TreeSet<>();
    for (int i = 0; i < expected.length; i++) {
      if (expected[i] != actual[i]) {
        differing.add(i / 16);
      }
    }
    assertTrue(differing.size() <= 2, () -> "differing 16-byte units: " + differing);
  }

  @Test
  void aCloneOfACloneRebootsAndCounts() throws Exception {
    SavedVm first = bench.save(bench.boot("vm"), "first");
    RunningVm clone = bench.driver.restore(bench.spec("a"), first, Bench.PATIENCE).resume();
    Bench.awaitCounting(clone);
    SavedVm second = bench.save(clone, "second");
    RunningVm vm = bench.driver.restore(bench.spec("b"), second, Bench.PATIENCE).resume();
    assertFalse(Files.readString(vm.spec().directory().resolve("console.log")).contains("boot"));
    ((QemuVm) vm).machine().execute("system_reset", Deadline.after(Bench.PATIENCE));
    Bench.awaitBoots(vm, 1);
  }

  @Test
  void tenClonesOfOneImageStartAtOnce() throws Exception {
    SavedVm saved = bench.save(bench.boot("vm"), "saved");
    ExecutorService pool = Executors.newFixedThreadPool(10);
    try {
      List<Future<RunningVm>> clones = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        VmSpec spec = bench.spec("clone" + i, 8080);
        clones.add(pool.submit(() -> bench.driver.restore(spec, saved, Bench.PATIENCE).resume()));
      }
      for (Future<RunningVm> clone : clones) {
        Bench.awaitCounting(clone.get());
      }
    } finally {
      pool.shutdownNow();
    }
  }

  @Test
  void aDifferentShapeIsRefusedByName() throws Exception {
    SavedVm saved = bench.save(bench.boot("vm"), "saved");
    VmSpec bigger = bench.sized("clone", 2 * Bench.MEMORY_BYTES);
    RametException e =
        assertThrows(
            RametException.class, () -> bench.driver.restore(bigger, saved, Bench.PATIENCE));
    assertEquals(ErrorCode.UNSUPPORTED, e.code());
    assertTrue(String.valueOf(e.getMessage()).contains("memoryBytes"), e::toString);
    assertEquals(Set.of(), names(bigger.directory()));
  }

  @Test
  void aDamagedStateLeavesNothingBehind() throws Exception {
    SavedVm saved = bench.save(bench.boot("vm"), "saved");
    VmSpec spec = bench.spec("clone");
    Path devices = saved.devices().resolve("devices");
    byte[] good = Files.readAllBytes(devices);

    Files.write(devices, Arrays.copyOf(good, good.length / 2));
    RametException cut =
        assertThrows(RametException.class, () -> bench.driver.restore(spec, saved, Bench.PATIENCE));
    assertEquals(ErrorCode.HYPERVISOR_FAILED, cut.code());
    assertTrue(String.valueOf(cut.getMessage()).contains("vmm.log"), cut::toString);
    assertEquals(Set.of(), names(spec.directory()));

    Files.write(devices, new byte[100]);
    RametException other =
        assertThrows(RametException.class, () -> bench.driver.restore(spec, saved, Bench.PATIENCE));
    assertEquals(ErrorCode.CORRUPT, other.code());
    assertEquals(Set.of(), names(spec.directory()));

    Files.write(devices, good);
    Path image = root.resolve("short");
    Files.write(image, new byte[4096]);
    SavedVm small =
        new SavedVm(saved.devices(), new MemorySource.MappedImage(image), saved.identity());
    RametException size =
        assertThrows(RametException.class, () -> bench.driver.restore(spec, small, Bench.PATIENCE));
    assertEquals(ErrorCode.CORRUPT, size.code());
    assertEquals(Set.of(), names(spec.directory()));
  }

  public static Set<String> names(Path directory) throws IOException {
    try (Stream<Path> list = Files.list(directory)) {
      return new TreeSet<>(list.map(p -> p.getFileName().toString()).toList());
    }
  }
}
