// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.guard;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.state.LiveSandbox;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that a machine whose hypervisor does not answer delays neither the guard nor others. */
@Timeout(60)
final class SilentMachinesTest {
  @TempDir private Path root;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private GuardGround ground;
  private FakeMachine.Stopping hung;
  private FakeMachine.Stopping well;
  private LiveSandbox live;

  @BeforeEach
  void open() {
    ground = new GuardGround(root, threads);
    hung = new FakeMachine.Stopping("hung");
    well = new FakeMachine.Stopping("well");
    live = ground.sandbox("hung", hung);
    ground.sandbox("well", well);
    ground.machines.refresh();
    ground.machines.stop(true);
    await(() -> released(hung) && released(well));
    hung.fallSilent();
  }

  @AfterEach
  void close() {
    hung.answer();
    threads.shutdown();
  }

  private static void await(BooleanSupplier reached) {
    while (!reached.getAsBoolean()) {
      assertFalse(Thread.interrupted(), "it took too long");
      Thread.onSpinWait();
    }
  }

  /** Ends the pauses, also of machines that were busy before; returns whether this one runs. */
  private boolean released(FakeMachine vm) {
    ground.machines.release();
    return !vm.isPaused();
  }

  private boolean turn(BooleanSupplier reached) {
    ground.machines.follow(false);
    return reached.getAsBoolean();
  }

  private boolean isHeld(FakeMachine vm) {
    return ground.sandboxes.all().stream().anyMatch(one -> one.standstillSlot().holds(vm));
  }

  @Test
  void theOthersAreStoppedAndTheSilenceIsShown() {
    ground.machines.stop(true);
    await(() -> isHeld(well));
    ground.machines.stop(true); // does not wait again
    assertFalse(isHeld(hung));
    ground.machines.follow(true);
    assertNull(live.silence(), "it is only slow yet");
    ground.pass(MachineCalls.PATIENCE);
    ground.machines.follow(true);
    String silence = String.valueOf(live.silence());
    assertTrue(silence.startsWith("its hypervisor (process 1) has not answered since "), silence);
    assertNull(live.standstill(), "the last known state is that it runs");

    hung.answer();
    await(() -> isHeld(hung));
    await(() -> turn(() -> live.silence() == null));
    await(() -> released(hung) && released(well));
  }

  @Test
  void anAnswerThatComesTooLateDoesNotStopTheMachine() {
    ground.machines.stop(true);
    await(() -> released(well));
    hung.answer();
    await(() -> hung.calls.stream().filter("resume"::equals).count() == 2);
    assertFalse(isHeld(hung));
    await(() -> !hung.isPaused());
  }

  @Test
  void aQuestionThatIsNotAnsweredHidesNoOtherStop() {
    hung.stop();
    well.stop();
    await(() -> turn(() -> ground.metric("ramet_sandboxes_standing_still") == 1));
    await(() -> turn(() -> hung.calls.get(hung.calls.size() - 1).equals("ask")));
    assertNull(live.standstill());
    ground.pass(MachineCalls.PATIENCE);
    ground.machines.follow(false);
    assertTrue(String.valueOf(live.silence()).contains("last known state"));
    await(() -> turn(() -> silent().equals(List.of("hung"))));
  }

  private List<String> silent() {
    return ground.sandboxes.all().stream()
        .filter(one -> one.silence() != null)
        .map(LiveSandbox::id)
        .toList();
  }
}
