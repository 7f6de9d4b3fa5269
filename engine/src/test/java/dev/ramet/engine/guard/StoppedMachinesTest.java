// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.guard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.sandboxes.Standstill;
import dev.ramet.engine.state.LiveSandbox;
import dev.ramet.engine.state.SandboxGround;
import dev.ramet.engine.state.SandboxRecord;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.StopsOnDiskError;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that machines which the host or their disks have stopped go on when they should. */
final class StoppedMachinesTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  @TempDir private Path root;
  private GuardGround ground;

  @BeforeEach
  void open() {
    ground = new GuardGround(root, Runnable::run);
  }

  private static int count(FakeMachine vm, String call) {
    return Collections.frequency(vm.calls, call);
  }

  @Test
  void aResumeThatFailsIsTriedAgain() {
    FakeMachine vm = new FakeMachine("i1");
    LiveSandbox live = ground.sandbox("i1", vm);
    ground.machines.refresh();
    ground.machines.stop(true);
    vm.nextResume = new IllegalStateException("it does not answer");
    ground.machines.release();
    assertEquals(List.of("pause", "resume"), vm.calls);
    try (LiveSandbox.Hold hold = live.acquire("snapshot")) {
      ground.machines.follow(true);
      assertEquals(2, vm.calls.size(), "a snapshot resumes the machine itself");
    }
    ground.machines.follow(true);
    assertEquals(List.of("pause", "resume", "pause", "resume"), vm.calls);
    ground.machines.follow(true);
    assertEquals(4, vm.calls.size(), "it runs again");
  }

  @Test
  void aMachineThatStopsAgainAtOnceStandsStillThroughout() {
    FakeMachine.Stopping vm = new FakeMachine.Stopping("i1");
    LiveSandbox live = ground.sandbox("i1", vm);
    ground.turn(true);
    assertNull(live.standstill());
    vm.stop();
    assertTrue(ground.wakes.get() > 0, "the guard looks at once");
    vm.next = Optional.of(new StopsOnDiskError.DiskStop(StopsOnDiskError.Cause.NO_SPACE, "again"));
    for (int second = 0; second < 4; second++) {
      ground.turn(true);
      ground.pass(SECOND);
      assertNotNull(live.standstill(), "second " + second);
    }
    assertEquals(3, count(vm, "go on"), "once a second");
    assertEquals(1, ground.metric("ramet_sandbox_standstills_total"), "it is one standstill");
    vm.next = Optional.empty();
    ground.turn(true);
    assertEquals(4, count(vm, "go on"));
    ground.turn(true);
    assertNotNull(live.standstill(), "it has not run for long");
    ground.pass(SECOND);
    ground.turn(true);
    assertNull(live.standstill());
    assertEquals(0, ground.metric("ramet_sandboxes_standing_still"));
  }

  @Test
  void aQuestionUnderWayDelaysGoingOnByOneTurn() {
    Deque<Runnable> calls = new ArrayDeque<>();
    GuardGround slow = new GuardGround(root, calls::add);
    FakeMachine.Stopping vm = new FakeMachine.Stopping("i1");
    LiveSandbox live = slow.sandbox("i1", vm);
    slow.turn(true);
    vm.stop();
    for (int turn = 0; turn < 2; turn++) {
      runAll(calls);
      slow.turn(true);
    }
    assertNotNull(live.standstill());
    slow.pass(SECOND);
    slow.turn(true); // the question of the last turn is not answered yet
    assertEquals(0, count(vm, "go on"));
    runAll(calls);
    slow.turn(true);
    runAll(calls);
    assertEquals(1, count(vm, "go on"));
    slow.pass(SECOND);
    slow.turn(true);
    runAll(calls);
    assertNull(live.standstill());
  }

  private static void runAll(Deque<Runnable> calls) {
    while (!calls.isEmpty()) {
      calls.remove().run();
    }
  }

  @Test
  void withoutRoomItIsTriedRarely() {
    FakeMachine.Stopping vm = new FakeMachine.Stopping("i1");
    ground.sandbox("i1", vm);
    ground.turn(false);
    vm.stop();
    ground.turn(false);
    ground.pass(Duration.ofSeconds(9));
    ground.turn(false);
    assertEquals(0, count(vm, "go on"));
    ground.pass(SECOND);
    ground.turn(false);
    assertEquals(1, count(vm, "go on"));
  }

  @Test
  void aMachineThatIsKilledWhileItStandsStillIsLeftAlone() throws Exception {
    FakeMachine vm = new FakeMachine("i1");
    FakeMachine.Stopping other = new FakeMachine.Stopping("i2");
    LiveSandbox live = ground.sandbox("i1", vm);
    LiveSandbox second = ground.sandbox("i2", other);
    ground.turn(true);
    other.stop();
    ground.turn(true);
    ground.machines.stop(false);
    ground.machines.extend("it is full", false);
    assertEquals(2, ground.metric("ramet_sandboxes_standing_still"));
    PausedVm pause = Objects.requireNonNull(live.standstillSlot().take(vm));
    pause.kill();
    other.kill(Duration.ZERO);
    for (LiveSandbox one : List.of(live, second)) {
      one.transition(one.saved().withState(SandboxRecord.State.KILLED, null), null);
      ground.sandboxes.remove(one.id());
    }
    ground.machines.release();
    ground.pass(SECOND);
    ground.turn(true);
    assertEquals(List.of("pause", "kill"), vm.calls);
    assertEquals(0, count(other, "go on"));
    assertEquals(0, ground.metric("ramet_sandboxes_standing_still"));
  }

  @Test
  void aNewHostFindsAStoppedMachineAndLetsItGoOn() {
    FakeMachine.Stopping vm = new FakeMachine.Stopping("i1");
    ground.sandbox("i1", vm);
    ground.turn(true);
    vm.stop();
    ground.turn(false);

    GuardGround next = new GuardGround(root, Runnable::run);
    LiveSandbox found = new LiveSandbox(SandboxGround.record("i1"), vm);
    next.sandboxes.add(found);
    next.turn(false);
    Standstill still = Objects.requireNonNull(found.standstill());
    assertEquals(Standstill.Cause.NO_SPACE, still.cause());
    assertEquals(0, count(vm, "go on"));
    next.pass(SECOND);
    next.turn(true);
    next.pass(SECOND);
    next.turn(true);
    assertEquals(1, count(vm, "go on"));
    assertNull(found.standstill());
  }

  @Test
  void aPauseOfSomebodyElseIsNotEnded() {
    FakeMachine vm = new FakeMachine("i1");
    LiveSandbox live = ground.sandbox("i1", vm);
    ground.machines.refresh();
    try (LiveSandbox.Hold hold = live.acquire("pause")) {
      PausedVm users = vm.pause();
      ground.machines.stop(true);
      ground.machines.extend("it is full", true);
      assertFalse(live.standstillSlot().holds(vm));
      ground.machines.release();
      ground.turn(true);
      assertTrue(vm.isPaused());
      users.close();
    }
    assertEquals(1, count(vm, "resume"));
  }
}
