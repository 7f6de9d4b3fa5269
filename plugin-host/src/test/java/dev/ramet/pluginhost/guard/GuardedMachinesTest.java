// SPDX-License-Identifier: Apache-2.0
package dev.ramet.pluginhost.guard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.ramet.errors.RametException;
import dev.ramet.spi.hypervisor.Hypervisor;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Checks what follows when a plugin fails in the middle of a machine's life. */
final class GuardedMachinesTest extends GuardGround {
  @Test
  void aFailedStartIsCleanedUpAfter() {
    for (Faults.Kind kind : KINDS) {
      for (String call : List.of("boot", "restore")) {
        calls.clear();
        Hypervisor real = Faults.recording(Hypervisor.class, calls);
        GuardedHypervisor guarded = hypervisor(Faults.of(Hypervisor.class, kind, call, real));
        assertThrows(
            RametException.class,
            () -> {
              if (call.equals("boot")) {
                guarded.boot(Faults.SPEC, Duration.ZERO);
              } else {
                guarded.restore(Faults.SPEC, Faults.SAVED, Duration.ZERO);
              }
            });
        assertEquals(kind == Faults.Kind.KNOWN ? List.of() : List.of("reap"), calls);
      }
    }
  }

  @Test
  void aFailedPauseLeavesTheMachineRunning() {
    for (Faults.Kind kind : KINDS) {
      for (String call : List.of("pause", "pauseAndSave")) {
        calls.clear();
        GuardedRunningVm vm =
            new GuardedRunningVm(Faults.of(RunningVm.class, kind), recording(), Faults.SPEC);
        assertThrows(
            RametException.class,
            () -> {
              if (call.equals("pause")) {
                vm.pause();
              } else {
                vm.pauseAndSave(Path.of("/x"));
              }
            });
        assertEquals(kind == Faults.Kind.KNOWN ? List.of() : List.of("reattach"), calls);
      }
      if (kind != Faults.Kind.NULL) {
        calls.clear();
        PausedVm paused =
            new GuardedPausedVm(Faults.of(PausedVm.class, kind), null, recording(), Faults.SPEC);
        assertThrows(RametException.class, paused::close);
        assertEquals(List.of("reattach"), calls, "whoever fails in a close leaves it paused");
      }
    }
  }

  @Test
  void aMachineThatCannotBeKilledIsEndedOtherwise() {
    RunningVm vm =
        new GuardedRunningVm(
            Faults.of(RunningVm.class, Faults.Kind.EXCEPTION), recording(), Faults.SPEC);
    assertThrows(RametException.class, () -> vm.kill(Duration.ZERO));
    assertEquals(List.of("reap"), calls);
  }

  @Test
  void aMachineIsTheSameAfterAPause() {
    RunningVm[] real = new RunningVm[1];
    PausedVm paused =
        Faults.answering(PausedVm.class, name -> name.equals("resume") ? real[0] : null);
    real[0] = Faults.answering(RunningVm.class, Map.of("pause", paused));
    GuardedRunningVm vm = new GuardedRunningVm(real[0], recording(), Faults.SPEC);
    try (PausedVm stopped = vm.pause()) {
      assertSame(vm, stopped.resume());
      assertSame(vm, stopped.resume());
    }
  }
}
