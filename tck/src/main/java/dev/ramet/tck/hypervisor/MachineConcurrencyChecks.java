// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.hypervisor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.VmSpec;
import dev.ramet.tck.support.Threads;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * Checks many concurrent callers: every outcome must be one that a single caller could have had.
 */
public abstract class MachineConcurrencyChecks {
  /** Called by the kit. */
  protected MachineConcurrencyChecks() {}

  private static final int THREADS = 6;

  public abstract MachineWorld world();

  @Test
  void manyPausesOfOneMachine() throws Exception {
    RunningVm vm = world().boot();
    AtomicInteger held = new AtomicInteger();
    AtomicInteger paused = new AtomicInteger();
    Threads.run(
        THREADS,
        thread -> {
          for (int i = 0; i < 5; i++) {
            try (PausedVm pause = vm.pause()) {
              assertEquals(1, held.incrementAndGet(), "one pause of a machine at a time");
              paused.incrementAndGet();
              assertEquals(vm.pid(), pause.pid());
              held.decrementAndGet();
            } catch (RametException e) {
              assertEquals(ErrorCode.CONFLICT, e.code(), e::toString);
            }
          }
        });
    assertTrue(paused.get() > 0);
    world().awaitRunning(vm);
  }

  @Test
  void aKillBesidePauses() throws Exception {
    RunningVm vm = world().boot();
    Threads.run(
        4,
        thread -> {
          if (thread == 0) {
            MachineWorld.sleep(5);
            vm.kill(MachineWorld.TIMEOUT);
            return;
          }
          for (int i = 0; i < 5; i++) {
            try (PausedVm pause = vm.pause()) {
              assertEquals(vm.pid(), pause.pid());
            } catch (RametException e) {
              assertTrue(
                  e.code() == ErrorCode.CONFLICT || e.code() == ErrorCode.HYPERVISOR_FAILED,
                  () -> "a pause of a machine that is ended fails as HYPERVISOR_FAILED: " + e);
            }
          }
        });
    assertTrue(world().ended(vm).requested(), "an end by kill() is a requested one");
    assertEquals(Set.of(), world().harness.processes(vm.spec().directory()));
  }

  @Test
  void manyKillsOfOneMachine() throws Exception {
    RunningVm vm = world().boot();
    Threads.run(
        THREADS,
        thread -> {
          vm.kill(MachineWorld.TIMEOUT);
          assertEquals(
              Set.of(),
              world().harness.processes(vm.spec().directory()),
              "each kill() waits until the process is gone");
        });
  }

  @Test
  void machinesSideBySide() throws Exception {
    VmSpec[] specs = new VmSpec[3];
    for (int i = 0; i < specs.length; i++) {
      specs[i] = world().spec();
    }
    Threads.run(
        specs.length,
        thread -> {
          RunningVm vm = world().driver.boot(specs[thread], MachineWorld.TIMEOUT);
          world().awaitRunning(vm);
          try (PausedVm paused = vm.pause()) {
            world().standsStill(vm, "another machine's resume must not reach this one");
            assertEquals(vm.pid(), paused.pid());
          }
          world().awaitRunning(vm);
          vm.kill(MachineWorld.TIMEOUT);
        });
  }
}
