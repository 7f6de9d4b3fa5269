// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.vm;

import static dev.ramet.hypervisors.qemu.vm.DiskBench.K;
import static dev.ramet.hypervisors.qemu.vm.DiskBench.M;
import static dev.ramet.hypervisors.qemu.vm.DiskBench.bitmaps;
import static dev.ramet.hypervisors.qemu.vm.DiskBench.follows;
import static dev.ramet.hypervisors.qemu.vm.DiskBench.io;
import static dev.ramet.hypervisors.qemu.vm.DiskBench.leave;
import static dev.ramet.hypervisors.qemu.vm.DiskBench.query;
import static dev.ramet.hypervisors.qemu.vm.DiskBench.range;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.hypervisors.qemu.probe.RestoreTest;
import dev.ramet.hypervisors.qemu.probe.Trial;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.SavedVm;
import dev.ramet.spi.hypervisor.SavingVm;
import dev.ramet.spi.memory.MemorySource;
import dev.ramet.spi.storage.Attachment;
import dev.ramet.spi.storage.WriteLog;
import dev.ramet.spi.storage.WriteLog.Written;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks that bitmaps do not affect a save and belong to one machine and one host process only. */
class DirtyBitmapMarksTest {
  @AutoClose private final DiskBench bench;

  DirtyBitmapMarksTest(@TempDir Path root) throws IOException {
    bench = new DiskBench(root);
  }

  @Test
  void aMachineIsSavedAndRestoredWhateverIsNoted() throws Exception {
    Attachment disk = bench.disk("a", 64 * M, false);
    QemuVm vm = bench.boot("vm", disk);
    Written first = vm.takeWrites(0);
    Path devices = Files.createDirectory(bench.root.resolve("saved"));
    Path image = bench.root.resolve("memory");
    io(vm, 0, "write 4k 4k");
    Written second;
    try (SavingVm paused = vm.pauseAndSave(devices)) {
      second = vm.takeWrites(0);
      paused.awaitDevices();
      Trial.copy(paused.memory(), image);
      paused.resume();
      paused.finishDevices();
    }
    follows(first, second, range(4 * K, 4 * K));
    SavedVm saved = new SavedVm(devices, new MemorySource.MappedImage(image), vm.identity());
    io(vm, 0, "write 8k 4k");
    Written third = vm.takeWrites(0);
    follows(second, third, range(8 * K, 4 * K));
    vm.kill(Bench.PATIENCE);
    Path directory = vm.spec().directory();
    assertEquals(Set.of("vmm.log", "console.log", "ram-blocks"), RestoreTest.names(directory));
    QemuVm clone;
    try (PausedVm paused = bench.restore("clone", saved, disk)) {
      clone = (QemuVm) paused.resume();
    }
    Bench.awaitCounting(clone);
    Written ofClone = clone.takeWrites(0);
    assertEquals(WriteLog.NO_MARK, ofClone.since());
    io(clone, 0, "write 8k 4k");
    follows(ofClone, clone.takeWrites(0), range(8 * K, 4 * K));
  }

  /** Captures the machine after an interrupted call and before the next one. */
  @Test
  void aSaveWhileABitmapIsExported() throws Exception {
    Attachment disk = bench.disk("a", 64 * M, false);
    QemuVm vm = bench.boot("vm", disk);
    leave(vm, vm.takeWrites(0));
    SavedVm saved = bench.machines.save(vm, "saved");
    assertEquals(1, query(vm, "query-block-exports").size());
    Bench.awaitCounting(vm);
    vm.kill(Bench.PATIENCE);
    try (PausedVm paused = bench.restore("clone", saved, disk)) {
      Bench.awaitCounting(paused.resume());
    }
  }

  @Test
  void anotherHostBeginsAnew() throws Exception {
    QemuVm vm =
        bench.boot("x".repeat(120), bench.disk("a", 64 * M, false), bench.disk("b", 64 * M, false));
    vm.takeWrites(0);
    Written of1 = vm.takeWrites(1);
    io(vm, 0, "write 0 4k");
    Written last = vm.takeWrites(0);
    // As after an interrupted call.
    leave(vm, last);
    bench.machines.driver.close();
    try (QemuHypervisor other = new QemuHypervisor(Bench.installation(bench.root))) {
      QemuVm found = (QemuVm) other.reattach(vm.spec(), Bench.PATIENCE).orElseThrow();
      io(found, 0, "write 0 4k");
      Written first = found.takeWrites(0);
      assertEquals(WriteLog.NO_MARK, first.since());
      assertTrue(first.until() > of1.until());
      assertEquals(Set.of("ramet" + first.until()), bitmaps(found));
      assertEquals(0, query(found, "query-block-exports").size());
      io(found, 0, "write 4k 4k");
      follows(first, found.takeWrites(0), range(4 * K, 4 * K));
    }
  }
}
