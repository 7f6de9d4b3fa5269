// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.storage.crash;

import static dev.ramet.tck.storage.World.S;
import static dev.ramet.tck.storage.World.SIZE;
import static dev.ramet.tck.storage.World.V;
import static java.lang.System.Logger.Level.INFO;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.RametException;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.tck.storage.StepControl;
import dev.ramet.tck.storage.World;
import dev.ramet.tck.support.Requirement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Checks that a kill at any moment leaves each operation done or not done. Most kills are
 * simulated: the backend is stopped before one of its changes and abandoned. Some are real: another
 * process is killed in the middle of its work.
 */
public abstract class CrashChecks {
  /** Called by the kit. */
  protected CrashChecks() {}

  private static final System.Logger LOG = System.getLogger(CrashChecks.class.getName());
  private static final int REAL_ROUNDS =
      Integer.parseInt(System.getenv().getOrDefault("RAMET_TCK_KILLS", "6"));
  private static final int RANDOM_ROUNDS =
      Integer.parseInt(System.getenv().getOrDefault("RAMET_TCK_HISTORIES", "140"));

  private static final int RECOVERY_KILLS =
      Integer.parseInt(System.getenv().getOrDefault("RAMET_TCK_RECOVERY_KILLS", "1000"));

  public abstract World world();

  private StepControl steps() {
    return steps(world());
  }

  /** Returns the step-by-step opening of a world's root. */
  static StepControl steps(World world) {
    var steps = world.harness().steps();
    Requirement.of("tck-steps", steps.isPresent(), "the harness does not step through operations");
    return steps.orElseThrow();
  }

  private Path image() throws IOException {
    byte[] content = new byte[(int) SIZE];
    new Random(5).nextBytes(content);
    return Files.write(world().scratch().resolve("image"), content);
  }

  /**
   * Runs an operation in a backend that is killed before a step; returns the number of steps before
   * it.
   */
  static int killed(StepControl steps, int at, Mutation.Call call) {
    Killer killer = new Killer(at);
    StorageBackend victim = steps.open(killer);
    try {
      call.on(victim);
    } catch (Killer.Killed killed) {
      assertTrue(killer.steps() == at, "the kill came at its step");
    } catch (RametException e) {
      throw new AssertionError(
          "killed before step " + at + ", an operation must not fail in another way: " + e, e);
    } finally {
      steps.abandon(victim);
    }
    return killer.steps();
  }

  /** Opens the root in a process that is killed as well; returns the number of steps. */
  static int killedInRecovery(StepControl steps, int at) {
    Killer killer = new Killer(at);
    try {
      steps.abandon(steps.open(killer));
    } catch (Killer.Killed killed) {
      // Completed steps stay done.
    }
    return killer.steps();
  }

  @Test
  void aKillAtAnyStepOfAnyMutationLeavesItDoneOrNotDone() throws Exception {
    StepControl steps = steps();
    int kills = 0;
    for (Mutation mutation : Mutation.all(world(), image())) {
      Mutation.prepare(world());
      Map<NodeId, String> before = world().state();
      world().backend().close();
      int opening = killed(steps, Killer.NEVER, backend -> {});
      int total = killed(steps, Killer.NEVER, mutation.call());
      world().use(world().open());
      Map<NodeId, String> after = world().state();
      world().deleteAll("after " + mutation.name());
      for (int step = opening; step < total; step++) {
        String where = mutation.name() + ", killed before step " + (step - opening);
        Mutation.prepare(world());
        world().backend().close();
        killed(steps, step, mutation.call());
        kills++;
        int recovery = killedInRecovery(steps, Killer.NEVER);
        world().use(world().open());
        demand(before, after, where, mutation);
        for (int again = step % recoveryStride(recovery);
            again < recovery;
            again += recoveryStride(recovery)) {
          Mutation.prepare(world());
          world().backend().close();
          killed(steps, step, mutation.call());
          killedInRecovery(steps, again);
          kills += 2;
          world().use(world().open());
          demand(before, after, where, mutation);
        }
      }
    }
    LOG.log(INFO, "simulated kills, step by step: {0}", kills);
  }

  /**
   * Returns the distance between the steps of a recovery that are killed; the first one differs
   * each time.
   */
  private static int recoveryStride(int steps) {
    return Math.max(1, (steps + RECOVERY_KILLS - 1) / RECOVERY_KILLS);
  }

  private void demand(
      Map<NodeId, String> before, Map<NodeId, String> after, String where, Mutation mutation) {
    Map<NodeId, String> found = world().state();
    assertTrue(
        found.equals(before) || found.equals(after),
        () ->
            "after a crash an operation must be done or not done: "
                + where
                + ": found "
                + found
                + " instead of "
                + before
                + " or "
                + after);
    if (!found.equals(after)) {
      try {
        mutation.call().on(world().backend());
      } catch (RametException e) {
        throw new AssertionError(
            "what a crash left is in the way ("
                + where
                + "): clear it away in open(). The operation, done again: "
                + e.getMessage(),
            e);
      }
      assertEquals(after, world().state(), () -> "done again after a crash: " + where);
    }
    world().deleteAll("after " + where);
  }

  /** Kills long histories in the middle; every acknowledged operation must be present. */
  @Test
  void noAcknowledgedOperationIsLost() throws Exception {
    StepControl steps = steps();
    Path image = image();
    for (int round = 0; round < RANDOM_ROUNDS; round++) {
      world().backend().close();
      Random random = new Random(round);
      Killer killer = new Killer(3 + random.nextInt(120));
      Ledger ledger = new Ledger();
      StorageBackend victim = null;
      try {
        victim = steps.open(killer);
        while (true) {
          ledger.act(victim, random, image);
        }
      } catch (Killer.Killed killed) {
        // The current operation was not acknowledged.
      } finally {
        if (victim != null) {
          steps.abandon(victim);
        }
      }
      world().use(world().open());
      ledger.demand(world().backend(), "round " + round);
      world().deleteAll("after a random history, round " + round);
    }
    LOG.log(INFO, "simulated kills, random histories: {0}", RANDOM_ROUNDS);
  }

  @Test
  void aKilledProcessLeavesAllThatWasAcknowledgedAndWholeNodesOnly() throws Exception {
    if (!world().harness().outlivesProcess()) {
      return;
    }
    Path image = world().scratch().resolve("large");
    byte[] content = new byte[2 << 20];
    new Random(9).nextBytes(content);
    Files.write(image, content);
    int nodes = 0;
    int demanded = 0;
    for (int round = 0; round < REAL_ROUNDS; round++) {
      world().backend().close();
      Path told = ChildProcess.killInTheMiddle(world(), image, round);
      world().use(world().open());
      demanded += Acknowledgements.demand(told, world().backend(), ", killed in round " + round);
      for (Node node : world().backend().list()) {
        assertEquals(
            -1,
            java.util.Arrays.mismatch(content, world().bytes(node.id(), 0, (int) node.sizeBytes())),
            () -> node.id() + " is not whole after a kill: make it visible only when it is");
        nodes++;
      }
      world().deleteAll("after a process was killed");
    }
    assertTrue(demanded > 0, "the killed processes made nothing: is the provider slow to open?");
    LOG.log(
        INFO,
        "real kills: {0}, nodes found whole: {1}, of them acknowledged: {2}",
        REAL_ROUNDS,
        nodes,
        demanded);
  }

  @Test
  void anOperationThatFailedBeforeTheKillStaysUndone() throws Exception {
    StepControl steps = steps();
    Mutation.prepare(world());
    Map<NodeId, String> before = world().state();
    world().backend().close();
    killed(
        steps,
        Killer.NEVER,
        backend -> {
          try {
            backend.snapshot(V, S, Durability.DURABLE);
          } catch (RametException e) {
            // The name is taken.
          }
        });
    world().use(world().open());
    assertEquals(before, world().state());
    world().deleteAll("after a failure and a kill");
  }
}
