// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.hypervisors.qemu.monitor.Deadline;
import dev.ramet.hypervisors.qemu.process.VmProcess;
import dev.ramet.hypervisors.qemu.program.Specs;
import dev.ramet.hypervisors.qemu.program.VmFiles;
import dev.ramet.hypervisors.qemu.vm.Bench;
import dev.ramet.hypervisors.qemu.vm.Host;
import dev.ramet.hypervisors.qemu.vm.QemuHypervisor;
import dev.ramet.spi.hypervisor.Boot;
import dev.ramet.spi.hypervisor.KernelFormat;
import dev.ramet.spi.hypervisor.NetworkPlan;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.SavedVm;
import dev.ramet.spi.hypervisor.VmExit;
import dev.ramet.spi.hypervisor.VmSpec;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the start, reattachment and end of machines, also after crashes and bad input. */
class LifecycleTest {
  private final Path root;
  @AutoClose private final Bench bench;

  LifecycleTest(@TempDir Path root) throws IOException {
    this.root = root;
    bench = new Bench(root);
  }

  private QemuHypervisor anotherDriver() {
    return new QemuHypervisor(Bench.installation(root));
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
    assertEquals(0, VmProcess.below(root.resolve("a").toRealPath()).size());
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
      Bench.await("the process", () -> !VmProcess.below(files.directory()).isEmpty());
      Thread.sleep(afterMillis);
      VmProcess.below(files.directory()).forEach(p -> p.kill(Deadline.after(Bench.PATIENCE)));
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
    assertEquals(0, VmProcess.below(spec.directory().toRealPath()).size());
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

  @Test
  void aTakenAddressIsAConflict() throws Exception {
    VmSpec spec = bench.spec("vm", 8080);
    try (ServerSocketChannel other = ServerSocketChannel.open()) {
      other.bind(new InetSocketAddress(Specs.network(spec).address(), 8080));
      RametException e =
          assertThrows(RametException.class, () -> bench.driver.boot(spec, Bench.PATIENCE));
      assertEquals(ErrorCode.CONFLICT, e.code());
      assertEquals(Set.of(), RestoreTest.names(spec.directory()));
    }
    RunningVm vm = bench.driver.boot(spec, Bench.PATIENCE);
    connect(vm.endpoint(8080));
    try (ServerSocketChannel other = ServerSocketChannel.open()) {
      other.bind(new InetSocketAddress(Specs.network(spec).address(), 8081));
      RametException e = assertThrows(RametException.class, () -> vm.endpoint(8081));
      assertEquals(ErrorCode.CONFLICT, e.code());
    }
    connect(vm.endpoint(8081));
    connect(vm.endpoint(8081));
  }

  /** Connects. The user network accepts on the guest's behalf, whether or not the guest listens. */
  private static void connect(InetSocketAddress address) throws IOException {
    try (Socket socket = new Socket()) {
      socket.connect(address, 2000);
    }
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
