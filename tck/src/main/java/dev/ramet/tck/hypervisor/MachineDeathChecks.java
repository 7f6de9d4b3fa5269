// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.hypervisor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.hypervisor.Hypervisor;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.SavedVm;
import dev.ramet.spi.hypervisor.SavingVm;
import dev.ramet.spi.hypervisor.VmExit;
import dev.ramet.spi.hypervisor.VmSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Checks machine processes that die by themselves, and hosts that restart. */
public abstract class MachineDeathChecks {
  /** Called by the kit. */
  protected MachineDeathChecks() {}

  /** The number of moments at which a start is interrupted, and the time between them. */
  private static final int CUTS = 6;

  private static final long CUT_MILLIS = 9;

  public abstract MachineWorld world();

  private void die(RunningVm vm) throws Exception {
    world().harness.kill(vm.pid());
    VmExit exit = world().ended(vm);
    assertFalse(exit.requested(), "an end that nobody asked for is not a requested one");
    assertFalse(exit.detail().isBlank(), "an end that nobody asked for is explained");
  }

  private static void failed(String call, Runnable run) {
    RametException e =
        assertThrows(RametException.class, run::run, call + " of a machine that ended must say so");
    assertEquals(ErrorCode.HYPERVISOR_FAILED, e.code(), e::toString);
  }

  @Test
  void aMachineThatDiesWhileItRuns() throws Exception {
    RunningVm vm = world().boot();
    die(vm);
    failed("pause()", vm::pause);
    failed("memory()", vm::memory);
    failed("pauseAndSave()", () -> vm.pauseAndSave(world().root));
    vm.kill(MachineWorld.TIMEOUT);
    assertEquals(
        Optional.empty(),
        world().driver.reattach(vm.spec(), MachineWorld.TIMEOUT),
        "a machine that ended is not found again");
    world().awaitRunning(world().driver.boot(vm.spec(), MachineWorld.TIMEOUT));
  }

  @Test
  void aMachineThatDiesInAPause() throws Exception {
    RunningVm vm = world().boot();
    PausedVm paused = vm.pause();
    die(vm);
    Path saved = world().directory("saved");
    failed("saveDevices()", () -> paused.saveDevices(saved));
    assertEquals(Set.of(), MachineWorld.names(saved), "a save that fails leaves nothing");
    failed("resume()", paused::resume);
    paused.close();
    paused.close();
  }

  @Test
  void aMachineThatDiesInASave() throws Exception {
    RunningVm vm = world().boot();
    Path saved = world().directory("saved");
    SavingVm saving = vm.pauseAndSave(saved);
    die(vm);
    try {
      saving.awaitDevices();
      saving.resume();
      saving.finishDevices();
    } catch (RametException e) {
      assertEquals(ErrorCode.HYPERVISOR_FAILED, e.code(), e::toString);
    }
    saving.close();
  }

  @Test
  void startsThatAreCutOff() throws Exception {
    SavedVm saved = world().save(world().boot());
    for (int i = 0; i < CUTS; i++) {
      VmSpec boot = world().spec();
      cut(boot, i * CUT_MILLIS, () -> world().driver.boot(boot, MachineWorld.TIMEOUT));
      VmSpec restore = world().spec();
      cut(
          restore,
          i * CUT_MILLIS,
          () -> resumed(world().driver.restore(restore, saved, MachineWorld.TIMEOUT)));
    }
  }

  /**
   * A machine that dies between its restore and its first instruction is cleaned up by the caller
   * of restore.
   */
  private static RunningVm resumed(PausedVm paused) {
    try {
      return paused.resume();
    } catch (RametException e) {
      paused.kill();
      throw e;
    }
  }

  private void cut(VmSpec spec, long afterMillis, Supplier<RunningVm> start) throws Exception {
    Thread killer = new Thread(() -> killWhenSeen(spec, afterMillis));
    killer.start();
    try {
      RunningVm vm = start.get();
      killer.join();
      assertFalse(world().ended(vm).requested());
    } catch (RametException e) {
      assertEquals(ErrorCode.HYPERVISOR_FAILED, e.code(), e::toString);
      killer.join();
      world().nothingLeft(spec, "a start that fails");
    }
  }

  private void killWhenSeen(VmSpec spec, long afterMillis) {
    try {
      world().await("the process", () -> !world().harness.processes(spec.directory()).isEmpty());
      MachineWorld.sleep(afterMillis);
      for (long pid : world().harness.processes(spec.directory())) {
        world().harness.kill(pid);
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aHostThatStartsAnewFindsItsMachines() throws Exception {
    RunningVm vm = world().boot();
    world().driver.close();
    world().driver.close();
    world().awaitRunning(vm);
    Hypervisor next = world().open();
    RunningVm found =
        next.reattach(vm.spec(), MachineWorld.TIMEOUT)
            .orElseThrow(() -> new AssertionError("a machine outlives the host that started it"));
    assertEquals(vm.pid(), found.pid());
    assertEquals(vm.identity(), found.identity(), "identity() is the same after reattach()");
    assertEquals(vm.memory(), found.memory(), "memory() is the same after reattach()");
    SavedVm saved = world().save(found);
    world().awaitRunning(next.restore(world().spec(), saved, MachineWorld.TIMEOUT).resume());
    found.kill(MachineWorld.TIMEOUT);
    assertEquals(Optional.empty(), next.reattach(vm.spec(), MachineWorld.TIMEOUT));
  }

  @Test
  void aMachineFoundPausedIsResumed() throws Exception {
    RunningVm vm = world().boot();
    vm.pause();
    world().driver.close();
    RunningVm found = world().open().reattach(vm.spec(), MachineWorld.TIMEOUT).orElseThrow();
    world().awaitRunning(found);
    found.pause().close();
    world().awaitRunning(found);
  }

  @Test
  void aPauseThatWasLostIsEndedByReattaching() throws Exception {
    RunningVm vm = world().boot();
    PausedVm lost = vm.pause();
    RunningVm found = world().driver.reattach(vm.spec(), MachineWorld.TIMEOUT).orElseThrow();
    assertEquals(vm.pid(), found.pid());
    world().awaitRunning(found);
    try (PausedVm paused = found.pause()) {
      lost.close();
      world().standsStill(found, "a pause that was given up has no say in a later one");
      assertEquals(found.pid(), paused.pid());
    }
    world().awaitRunning(found);
  }

  @Test
  void nothingIsFoundWhereNothingRan() throws Exception {
    VmSpec spec = world().harness.spec("nothing", world().directory("nothing"));
    Set<String> before = MachineWorld.names(spec.directory());
    assertEquals(Optional.empty(), world().driver.reattach(spec, MachineWorld.TIMEOUT));
    assertEquals(before, MachineWorld.names(spec.directory()));
    Files.delete(spec.directory());
    assertEquals(Optional.empty(), world().driver.reattach(spec, MachineWorld.TIMEOUT));
  }

  @Test
  void reapingEndsWhatIsBelowADirectoryAndNothingElse() throws Exception {
    RunningVm inside =
        world().driver.boot(world().spec("in", world().directory("a/one")), MachineWorld.TIMEOUT);
    RunningVm outside =
        world().driver.boot(world().spec("out", world().directory("ab")), MachineWorld.TIMEOUT);
    world().open().reap(world().directory("a"));
    assertEquals(
        Set.of(),
        world().harness.processes(world().directory("a")),
        "reap() ends machines of earlier hosts too, and waits until they are gone");
    VmExit exit = world().ended(inside);
    assertFalse(exit.requested());
    world().awaitRunning(outside);
    world().driver.reap(world().root.resolve("nothing"));
    assertTrue(world().harness.processes(outside.spec().directory()).contains(outside.pid()));
  }
}
