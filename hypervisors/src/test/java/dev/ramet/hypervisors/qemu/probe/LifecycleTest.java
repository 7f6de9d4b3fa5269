// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.hypervisors.qemu.process.VmProcess;
import dev.ramet.hypervisors.qemu.program.VmFiles;
import dev.ramet.hypervisors.qemu.vm.Bench;
import dev.ramet.hypervisors.qemu.vm.Host;
import dev.ramet.hypervisors.qemu.vm.QemuHypervisor;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.SavedVm;
import dev.ramet.spi.hypervisor.VmExit;
import dev.ramet.spi.hypervisor.VmSpec;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the start, reattachment and end of machines, also after crashes and bad input. */
final class LifecycleTest extends LifecycleGround {
  LifecycleTest(@TempDir Path root) throws IOException {
    super(root);
  }

  @Test
  void anotherDriverFindsARunningMachine() throws Exception {
    RunningVm vm = bench.boot("vm", 8080);
    InetSocketAddress forwarded = vm.endpoint(9090);
    bench.driver.close();
    try (QemuHypervisor other = anotherDriver()) {
      RunningVm found = other.reattach(vm.spec(), Bench.PATIENCE).orElseThrow();
      assertEquals(vm.pid(), found.pid());
      assertEquals(vm.identity(), found.identity());
      assertEquals(vm.memory(), found.memory());
      // The second driver does not know a forward that the first one added, and adds it again.
      assertEquals(forwarded, found.endpoint(9090));
      connect(forwarded);
      SavedVm saved = bench.save(found, "saved");
      RunningVm clone = other.restore(bench.spec("clone"), saved, Bench.PATIENCE).resume();
      Bench.awaitCounting(clone);
      found.kill(Bench.PATIENCE);
      assertTrue(found.exit().toCompletableFuture().get(5, TimeUnit.MINUTES).requested());
      // The handle from the closed driver reports the exit too.
      vm.exit().toCompletableFuture().get(5, TimeUnit.MINUTES);
      assertEquals(Optional.empty(), other.reattach(vm.spec(), Bench.PATIENCE));
    }
  }

  @Test
  void aRestoredMachineFoundPausedIsResumed() throws Exception {
    SavedVm saved = bench.save(bench.boot("vm"), "saved");
    VmSpec spec = bench.spec("clone");
    PausedVm paused = bench.driver.restore(spec, saved, Bench.PATIENCE);
    bench.driver.close();
    try (QemuHypervisor other = anotherDriver()) {
      RunningVm found = other.reattach(spec, Bench.PATIENCE).orElseThrow();
      assertEquals(paused.memory(), found.memory());
      Bench.awaitCounting(found);
    }
  }

  /** Simulates a failure in which the holder of the pause was lost. */
  @Test
  void aMachineWhosePauseWasLostIsFoundAgainByTheDriverThatHasIt() throws Exception {
    RunningVm vm = bench.boot("vm");
    PausedVm first = vm.pause();
    RunningVm found = bench.driver.reattach(vm.spec(), Bench.PATIENCE).orElseThrow();
    assertEquals(vm.pid(), found.pid());
    Bench.awaitCounting(found);
    PausedVm lost = vm.pauseAndSave(Files.createDirectory(root.resolve("lost")));
    assertTrue(bench.driver.reattach(vm.spec(), Bench.PATIENCE).isPresent());
    Bench.awaitCounting(vm);
    assertFalse(Files.exists(vm.spec().directory().resolve(VmFiles.STATE)));
    try (PausedVm paused = vm.pause()) {
      int count = Bench.count(vm);
      first.close();
      lost.close();
      Thread.sleep(50);
      assertEquals(count, Bench.count(vm), "a lost pause has no say in a later one");
      assertEquals(vm.pid(), paused.pid());
    }
    Bench.awaitCounting(vm);
    bench.save(vm, "saved");
  }

  @Test
  void aReusedPidIsNotOurMachine() throws Exception {
    VmSpec spec = bench.spec("vm");
    Files.writeString(spec.directory().resolve("qemu.pid"), ProcessHandle.current().pid() + "\n");
    assertEquals(Optional.empty(), bench.driver.reattach(spec, Bench.PATIENCE));
  }

  @Test
  void reapEndsWhatWorksBelowADirectoryAndNothingElse() throws Exception {
    RunningVm inside = bench.boot("a/one");
    RunningVm outside = bench.boot("ab");
    bench.driver.reap(root.resolve("a"));
    assertEquals(0, VmProcess.findBelow(root.resolve("a").toRealPath()).size());
    assertThrows(RametException.class, inside::memory);
    VmExit exit = inside.exit().toCompletableFuture().get(5, TimeUnit.MINUTES);
    assertFalse(exit.requested());
    Bench.awaitCounting(outside);
    bench.driver.reap(root.resolve("nothing"));
  }

  @Test
  void theEndOfTheProcessIsHeardOfAtOnceAndFailsWhatIsUnderWay() throws Exception {
    RunningVm vm = bench.boot("vm");
    PausedVm paused = vm.pause();
    ProcessHandle.of(vm.pid()).orElseThrow().destroyForcibly();
    VmExit exit = vm.exit().toCompletableFuture().get(5, TimeUnit.MINUTES);
    assertFalse(exit.requested());
    assertTrue(exit.detail().contains("console.log: boot"), exit.detail());
    Path saved = Files.createDirectory(root.resolve("saved"));
    RametException e = assertThrows(RametException.class, () -> paused.saveDevices(saved));
    assertEquals(ErrorCode.HYPERVISOR_FAILED, e.code());
    assertEquals(Set.of(), RestoreTest.names(saved));
    assertThrows(RametException.class, paused::resume);
    assertThrows(RametException.class, vm::memory);
    paused.close();
    assertThrows(RametException.class, vm::pause);
    vm.kill(Bench.PATIENCE);
    vm.kill(Bench.PATIENCE);
  }

  @Test
  void aFullFileSystemIsNamedAndTheMachineRunsOn() throws Exception {
    RunningVm vm = bench.boot("vm");
    Path small = Files.createDirectory(root.resolve("small"));
    Host.mountTmpfs(small, "128k");
    try {
      try (PausedVm paused = vm.pause()) {
        RametException e = assertThrows(RametException.class, () -> paused.saveDevices(small));
        assertEquals(ErrorCode.NO_SPACE, e.code());
        assertEquals(Set.of(), RestoreTest.names(small));
      }
      Bench.awaitCounting(vm);
    } finally {
      Host.run("umount", small.toString());
    }
  }
}
