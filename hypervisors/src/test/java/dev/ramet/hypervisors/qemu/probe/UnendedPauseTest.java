// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.hypervisors.qemu.monitor.Deadline;
import dev.ramet.hypervisors.qemu.monitor.Qmp;
import dev.ramet.hypervisors.qemu.vm.Bench;
import dev.ramet.hypervisors.qemu.vm.QemuVm;
import dev.ramet.spi.hypervisor.PausedVm;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Checks that a pause that did not end properly does not block later calls. */
@Timeout(900)
class UnendedPauseTest {
  @AutoClose private final Bench bench;

  UnendedPauseTest(@TempDir Path root) throws IOException {
    bench = new Bench(root);
  }

  /** QEMU does not resume a machine that requires a reset, as after an internal error of KVM. */
  @Test
  void aMachineThatMayNotGoOnCanBePausedAgainAndEnded() throws Exception {
    QemuVm vm = (QemuVm) bench.boot("vm");
    Deadline deadline = Deadline.after(QemuVm.TIMEOUT);
    ObjectNode actions = Qmp.JSON.createObjectNode();
    actions.put("reboot", "shutdown").put("shutdown", "pause");
    vm.machine().execute("set-action", actions, deadline);
    vm.machine().execute("system_reset", deadline);
    while (vm.machine().execute("query-status", deadline).path("running").asBoolean()) {
      Thread.sleep(1);
    }
    PausedVm paused = vm.pause();
    RametException e = assertThrows(RametException.class, paused::resume);
    assertEquals(ErrorCode.HYPERVISOR_FAILED, e.code());
    assertThrows(RametException.class, paused::close);
    paused.close(); // has no effect any more
    assertThrows(RametException.class, () -> vm.takeBackPause(deadline));
    PausedVm again = vm.pause();
    paused.close();
    again.kill();
    assertTrue(vm.exit().toCompletableFuture().get(5, TimeUnit.MINUTES).requested());
  }

  @Test
  void whoeverIsInterruptedLetsItGoOn() throws Exception {
    QemuVm vm = (QemuVm) bench.boot("vm");
    PausedVm paused = vm.pause();
    Thread.currentThread().interrupt();
    paused.close();
    assertTrue(Thread.interrupted(), "it is still to stop");
    Bench.awaitCounting(vm);

    Thread.currentThread().interrupt();
    RametException e = assertThrows(RametException.class, vm::pause);
    assertEquals(ErrorCode.CANCELLED, e.code());
    assertTrue(Thread.interrupted());
    Bench.awaitCounting(vm);
    vm.pause().close();
    Bench.awaitCounting(vm);
  }
}
