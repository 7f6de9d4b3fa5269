// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.hypervisors.qemu.monitor.Deadline;
import dev.ramet.hypervisors.qemu.process.VmProcess;
import dev.ramet.hypervisors.qemu.program.SpecChecks;
import dev.ramet.hypervisors.qemu.program.VmFiles;
import dev.ramet.hypervisors.qemu.vm.Bench;
import dev.ramet.hypervisors.qemu.vm.QemuHypervisor;
import dev.ramet.spi.hypervisor.Boot;
import dev.ramet.spi.hypervisor.KernelFormat;
import dev.ramet.spi.hypervisor.NetworkPlan;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.SavedVm;
import dev.ramet.spi.hypervisor.VmSpec;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks that what cannot be started is refused, and that killing a start leaves nothing. */
final class RefusedStartsTest extends LifecycleGround {
  RefusedStartsTest(@TempDir Path root) throws IOException {
    super(root);
  }

  @Test
  void killDuringAnyStepOfARestoreLeavesNothing() throws Exception {
    SavedVm saved = bench.save(bench.boot("vm"), "saved");
    for (int millis = 0; millis < 50; millis += 7) {
      VmSpec spec = bench.spec("clone" + millis);
      int after = millis;
      Thread killer = new Thread(() -> killWhenSeen(spec, after));
      killer.start();
      try (PausedVm paused = bench.driver.restore(spec, saved, Bench.PATIENCE)) {
        killer.join();
        paused.kill(); // The kill came too late for this one.
      } catch (RametException e) {
        assertEquals(ErrorCode.HYPERVISOR_FAILED, e.code());
        assertEquals(Set.of(), RestoreTest.names(spec.directory()));
      }
      killer.join();
    }
  }

  private static void killWhenSeen(VmSpec spec, int afterMillis) {
    try {
      VmFiles files = VmFiles.of(spec.directory());
      Bench.await("the process", () -> !VmProcess.findBelow(files.directory()).isEmpty());
      Thread.sleep(afterMillis);
      VmProcess.findBelow(files.directory()).forEach(p -> p.kill(Deadline.after(Bench.PATIENCE)));
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aStoppedProcessRunsIntoTheDeadlineAndIsEnded() throws Exception {
    VmSpec spec = bench.spec("vm");
    RametException e =
        assertThrows(RametException.class, () -> bench.driver.boot(spec, Duration.ofMillis(5)));
    assertEquals(ErrorCode.DEADLINE_EXCEEDED, e.code());
    assertEquals(Set.of(), RestoreTest.names(spec.directory()));
    assertEquals(0, VmProcess.findBelow(spec.directory().toRealPath()).size());
  }

  @Test
  void killDuringAnyStepOfABootLeavesNothing() throws Exception {
    for (int millis = 0; millis < 50; millis += 7) {
      VmSpec spec = bench.spec("vm" + millis);
      int after = millis;
      Thread killer = new Thread(() -> killWhenSeen(spec, after));
      killer.start();
      try {
        RunningVm vm = bench.driver.boot(spec, Bench.PATIENCE);
        killer.join();
        vm.exit().toCompletableFuture().get(5, TimeUnit.MINUTES);
      } catch (RametException e) {
        assertEquals(ErrorCode.HYPERVISOR_FAILED, e.code());
        assertEquals(Set.of(), RestoreTest.names(spec.directory()));
      }
      killer.join();
    }
  }

  @Test
  void aTakenAddressIsAConflict() throws Exception {
    VmSpec spec = bench.spec("vm", 8080);
    try (ServerSocketChannel other = ServerSocketChannel.open()) {
      other.bind(new InetSocketAddress(SpecChecks.network(spec).address(), 8080));
      RametException e =
          assertThrows(RametException.class, () -> bench.driver.boot(spec, Bench.PATIENCE));
      assertEquals(ErrorCode.CONFLICT, e.code());
      assertEquals(Set.of(), RestoreTest.names(spec.directory()));
    }
    RunningVm vm = bench.driver.boot(spec, Bench.PATIENCE);
    connect(vm.endpoint(8080));
    try (ServerSocketChannel other = ServerSocketChannel.open()) {
      other.bind(new InetSocketAddress(SpecChecks.network(spec).address(), 8081));
      RametException e = assertThrows(RametException.class, () -> vm.endpoint(8081));
      assertEquals(ErrorCode.CONFLICT, e.code());
    }
    connect(vm.endpoint(8081));
    connect(vm.endpoint(8081));
  }

  @Test
  void oneMachineADirectoryAndOnePauseAMachine() throws Exception {
    RunningVm vm = bench.boot("vm");
    RametException second =
        assertThrows(RametException.class, () -> bench.driver.boot(vm.spec(), Bench.PATIENCE));
    assertEquals(ErrorCode.CONFLICT, second.code());
    try (PausedVm paused = vm.pause()) {
      assertEquals(vm.pid(), paused.pid());
      assertEquals(ErrorCode.CONFLICT, assertThrows(RametException.class, vm::pause).code());
    }
    Bench.awaitCounting(vm);
  }

  @Test
  void aPathTooLongForASocketWorks() throws Exception {
    String longName = "x".repeat(120);
    RunningVm vm = bench.boot(longName);
    SavedVm saved = bench.save(vm, "saved");
    bench.driver.close();
    try (QemuHypervisor other = anotherDriver()) {
      Bench.awaitCounting(other.reattach(vm.spec(), Bench.PATIENCE).orElseThrow());
      RunningVm clone = other.restore(bench.spec(longName + ",b"), saved, Bench.PATIENCE).resume();
      Bench.awaitCounting(clone);
    }
  }

  @Test
  void nonsenseIsRefusedBeforeAnythingStarts() throws Exception {
    VmSpec good = bench.spec("vm");
    for (VmSpec bad :
        new VmSpec[] {
          good.sized(0, good.memoryBytes()),
          good.sized(1, 4096),
          good.with(new Boot(Map.of(KernelFormat.BZIMAGE, root.resolve("none")), null, "")),
          good.with(new Boot(Map.of(), null, "")),
          good.with(new NetworkPlan.User("10.0.0.1", List.of(), false)),
          good.with(new NetworkPlan.None()),
          good.in(root.resolve("nowhere")),
        }) {
      RametException e =
          assertThrows(RametException.class, () -> bench.driver.boot(bad, Bench.PATIENCE));
      assertEquals(ErrorCode.INVALID_ARGUMENT, e.code());
    }
    assertEquals(Set.of(), RestoreTest.names(good.directory()));
  }
}
