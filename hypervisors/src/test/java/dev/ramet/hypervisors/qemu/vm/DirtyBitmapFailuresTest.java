// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.vm;

import static dev.ramet.hypervisors.qemu.vm.DiskBench.K;
import static dev.ramet.hypervisors.qemu.vm.DiskBench.M;
import static dev.ramet.hypervisors.qemu.vm.DiskBench.bitmaps;
import static dev.ramet.hypervisors.qemu.vm.DiskBench.follows;
import static dev.ramet.hypervisors.qemu.vm.DiskBench.io;
import static dev.ramet.hypervisors.qemu.vm.DiskBench.leave;
import static dev.ramet.hypervisors.qemu.vm.DiskBench.range;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.storage.WriteLog;
import dev.ramet.spi.storage.WriteLog.Written;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks that a failed bitmap is replaced by a new one and that no call waits forever. */
class DirtyBitmapFailuresTest {
  @AutoClose private final DiskBench bench;

  DirtyBitmapFailuresTest(@TempDir Path root) throws IOException {
    bench = new DiskBench(root);
  }

  @Test
  void afterAFailureItBeginsAnewAndOtherDisksGoOn() throws Exception {
    QemuVm vm = bench.boot("vm", bench.disk("a", 64 * M, false), bench.disk("b", 64 * M, false));
    Written of0 = vm.takeWrites(0);
    Written of1 = vm.takeWrites(1);
    leave(vm, of0); // Now it cannot be disabled, because it is in use.
    RametException e = assertThrows(RametException.class, () -> vm.takeWrites(0));
    assertEquals(ErrorCode.HYPERVISOR_FAILED, e.code());
    io(vm, 1, "write 4k 4k");
    Written next = vm.takeWrites(1);
    follows(of1, next, range(4 * K, 4 * K));
    assertEquals(Set.of("ramet" + next.until()), bitmaps(vm));
    Written anew = vm.takeWrites(0);
    assertEquals(WriteLog.NO_MARK, anew.since());
    io(vm, 0, "write 8k 4k");
    follows(anew, vm.takeWrites(0), range(8 * K, 4 * K));
    Bench.awaitCounting(vm);
  }

  @Test
  void aPauseDoesNotLastForAMonitorThatDoesNotAnswer() throws Exception {
    QemuVm vm = bench.boot("vm", bench.disk("a", 64 * M, false));
    vm.takeWrites(0);
    try (PausedVm paused = vm.pause()) {
      signal(vm, "STOP");
      long start = System.nanoTime();
      try {
        RametException e = assertThrows(RametException.class, () -> vm.takeWrites(0));
        assertEquals(ErrorCode.DEADLINE_EXCEEDED, e.code());
      } finally {
        signal(vm, "CONT");
      }
      Duration taken = Duration.ofNanos(System.nanoTime() - start);
      assertTrue(taken.compareTo(Duration.ofSeconds(10)) < 0, taken::toString);
      Written anew = vm.takeWrites(0);
      assertEquals(WriteLog.NO_MARK, anew.since());
      follows(anew, vm.takeWrites(0));
      paused.resume();
    }
    Bench.awaitCounting(vm);
  }

  private static void signal(QemuVm vm, String name) throws Exception {
    Process kill = new ProcessBuilder("kill", "-" + name, "" + vm.pid()).start();
    assertEquals(0, kill.waitFor());
  }

  @Test
  void theEndOfQemuIsAnErrorAndNothingWaits() throws Exception {
    for (int millis = 0; millis < 4; millis++) {
      QemuVm vm = bench.boot("vm" + millis, bench.disk("a" + millis, 64 * M, false));
      vm.takeWrites(0);
      Thread killer =
          new Thread(() -> ProcessHandle.of(vm.pid()).ifPresent(ProcessHandle::destroyForcibly));
      RametException e =
          assertThrows(
              RametException.class,
              () -> {
                killer.start();
                while (true) {
                  vm.takeWrites(0);
                }
              });
      assertEquals(ErrorCode.HYPERVISOR_FAILED, e.code(), e::getMessage);
      killer.join();
      assertThrows(RametException.class, () -> vm.takeWrites(0));
    }
  }
}
