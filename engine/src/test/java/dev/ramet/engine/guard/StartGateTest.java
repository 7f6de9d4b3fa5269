// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.guard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.state.LiveSandbox;
import dev.ramet.engine.state.SandboxRecord;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** Tests machines that are being started while the host runs out of space. */
@Timeout(60)
final class StartGateTest {
  private static final String FULL = "little space is left on /data";

  @TempDir private Path root;
  private GuardGround ground;
  private final FakeMachine vm = new FakeMachine("i1");

  @BeforeEach
  void open() {
    ground = new GuardGround(root, Runnable::run);
  }

  private static RametException refused(Executable call) {
    RametException e = assertThrows(RametException.class, call);
    assertEquals(ErrorCode.NO_SPACE, e.code());
    assertTrue(String.valueOf(e.getMessage()).contains(FULL), e::toString);
    return e;
  }

  /** Holds all machines, as the guard does. */
  private void hold(boolean all) {
    ground.gate.close(FULL, all);
    ground.machines.refresh();
    ground.machines.stop(all);
    ground.machines.extend(FULL, all);
  }

  @Test
  void nothingStartsWhileMachinesAreHeld() {
    ground.gate.close(FULL, true);
    assertEquals(507, refused(() -> ground.gate.admit("i1", true)).code().httpStatus());
    refused(() -> ground.gate.require("roll back i1", true));
    ground.gate.close(FULL, false);
    refused(() -> ground.gate.admit("i1", false));
    ground.gate.admit("i1", true).close(); // its hypervisor stops it in time
    ground.gate.open();
    ground.gate.admit("i1", false).close();
  }

  @Test
  void aMachineThatComesUpTooLateIsRefused() {
    StartGate.Start start = ground.gate.admit("i1", false);
    start.check();
    ground.gate.close(FULL, false);
    refused(() -> start.runs(vm));
    refused(start::check);
    start.close();
    assertTrue(ground.gate.running().isEmpty());
  }

  @Test
  void aStartThatTheGuardOvertakesIsRefused() {
    ground.sandbox("i1", null);
    StartGate.Start start = ground.gate.admit("i1", false);
    start.runs(vm);
    hold(false);
    assertTrue(vm.hasEnded());
    refused(start::finish);
    RametException other = new RametException(ErrorCode.HYPERVISOR_FAILED, "it has ended");
    assertSame(other, refused(() -> throwing(start.failure(other))).getSuppressed()[0]);
  }

  private static void throwing(RametException e) {
    throw e;
  }

  @Test
  void aMachineWhoseStartHasEndedIsHeldWithoutAGap() {
    LiveSandbox live = ground.sandbox("i1", null);
    live.transition(live.saved().withState(SandboxRecord.State.CREATING, null), null);
    StartGate.Start start = ground.gate.admit("i1", false);
    start.runs(vm);
    start.finish();
    hold(false); // before the manifest names the machine
    assertTrue(vm.isPaused());
    live.transition(live.saved().withState(SandboxRecord.State.RUNNING, null), vm);
    ground.turn(false);
    assertTrue(ground.gate.running().isEmpty());
    assertFalse(vm.hasEnded());
    assertEquals(
        ErrorCode.NO_SPACE, assertThrows(RametException.class, live::runningMachine).code());
    ground.gate.open();
    ground.machines.release();
    assertFalse(vm.isPaused());
    assertSame(vm, live.runningMachine());
  }

  @Test
  void aMachineThatComesUpWhileAllStandStillForAMomentWaits() throws Exception {
    StartGate.Start start = ground.gate.admit("i1", false);
    ground.gate.closeForMoment();
    CompletableFuture<Void> running = CompletableFuture.runAsync(() -> start.runs(vm));
    while (!vm.isPaused()) {
      assertFalse(Thread.interrupted(), "it took too long");
      Thread.onSpinWait();
    }
    assertTrue(ground.gate.running().isEmpty());
    ground.gate.open();
    running.get(1, TimeUnit.MINUTES);
    assertFalse(vm.isPaused());
    assertEquals(1, ground.gate.running().size());
  }

  @Test
  void aStartThatFailsOtherwiseKeepsItsError() {
    StartGate.Start start = ground.gate.admit("i1", false);
    RametException other = new RametException(ErrorCode.HYPERVISOR_FAILED, "it has ended");
    assertSame(other, start.failure(other));
  }
}
