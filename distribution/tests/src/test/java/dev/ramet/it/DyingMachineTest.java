// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static dev.ramet.it.Refusals.refused;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.snapshots.NewSnapshot;
import dev.ramet.engine.snapshots.Snapshot;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.SortedSet;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests machines that die during any step of their snapshot, or stop responding. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class DyingMachineTest {
  private static final long PATIENCE_NANOS = 60_000_000_000L;

  private static final String LAST_STEP = "snapshot.publish";

  /** The steps that follow once the machine runs again. */
  private static final List<String> AFTER_THE_PAUSE =
      List.of("snapshot.write", "snapshot.seal", LAST_STEP);

  @AutoClose @RegisterExtension private final StartedSandbox started = StartedSandbox.make();

  private final Ground ground = started.ground();

  @Test
  void aMachineThatDiesInAnyStepOfASnapshotIsToldAndLeavesNothing() throws Exception {
    ground.steps().reset();
    ground.engine().snapshots().create(started.id(), "probe");
    List<String> steps = ground.steps().seen();
    ground.engine().snapshots().delete("probe", false);
    assertTrue(steps.containsAll(AFTER_THE_PAUSE), steps.toString());
    for (String step : steps.subList(0, steps.indexOf(LAST_STEP) + 1)) {
      SortedSet<String> before = withoutTheMachine(ground.files());
      dieAt(step);
      RametException e =
          assertThrows(
              RametException.class,
              () -> ground.engine().snapshots().create(started.id(), "dying"),
              step);
      ground.steps().resetWhenDone();
      assertTrue(
          e.code() == ErrorCode.HYPERVISOR_FAILED || e.code() == ErrorCode.CONFLICT,
          step + ": " + e);
      assertNothingLeft(before, step);
    }
  }

  /**
   * A caller that does not wait already has its response by then, and finds the failure in the
   * snapshot's status.
   */
  @Test
  void aMachineThatDiesWhileItsSnapshotIsWrittenIsToldOfThatSnapshot() throws Exception {
    for (String step : AFTER_THE_PAUSE) {
      SortedSet<String> before = withoutTheMachine(ground.files());
      dieAt(step);
      Snapshot writing =
          ground
              .engine()
              .snapshots()
              .create(NewSnapshot.named(started.id(), "dying").withoutWaiting());
      ground.engine().snapshots().await(writing.id(), Duration.ofMinutes(1));
      ground.steps().resetWhenDone();
      Snapshot failed = ground.engine().snapshots().get(writing.id());
      assertEquals(Snapshot.Status.FAILED, failed.status(), step);
      assertTrue(
          String.valueOf(failed.statusDetail()).contains("ended"),
          step + ": " + failed.statusDetail());
      ground.engine().snapshots().delete(failed.id(), false);
      refused(ErrorCode.NOT_FOUND, () -> ground.engine().snapshots().get("dying"));
      assertNothingLeft(before, step);
    }
  }

  /** A machine that neither pauses nor exits needs a rollback most; the rollback kills it. */
  @Test
  void aMachineThatDoesNothingAnyMoreIsRolledBack() throws Exception {
    long pid = pid();
    assertEquals(0, new ProcessBuilder("kill", "-STOP", Long.toString(pid)).start().waitFor());
    ground.engine().sandboxes().rollback(started.id(), "start");
    assertEquals("start", ground.shell(started.id()).run("cat /tmp/file"));
    assertEquals(List.of(pid()), ground.machines(), "the old one is gone");
  }

  private long pid() {
    return Objects.requireNonNull(ground.engine().sandboxes().get(started.id()).hypervisorPid());
  }

  private void dieAt(String step) {
    long pid = pid();
    boolean written = AFTER_THE_PAUSE.contains(step);
    ground
        .steps()
        .doAt(
            step,
            () -> {
              kill(pid);
              if (written) {
                awaitNotice();
              }
            });
  }

  /**
   * Waits until the engine has noticed the exit: a snapshot whose machine exits right after the
   * last check is complete and stays.
   */
  private void awaitNotice() {
    long start = System.nanoTime();
    while (ground.engine().sandboxes().get(started.id()).state() == Sandbox.State.RUNNING) {
      assertTrue(System.nanoTime() - start < PATIENCE_NANOS, "the end is noticed");
      try {
        Thread.sleep(5);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /** Checks the files, and that the sandbox can roll back to an older snapshot. */
  private void assertNothingLeft(SortedSet<String> before, String step) throws Exception {
    assertEquals(before, withoutTheMachine(ground.files()), step);
    ground.engine().sandboxes().rollback(started.id(), "start");
    assertEquals("start", ground.shell(started.id()).run("cat /tmp/file"), step);
  }

  private static void kill(long pid) {
    ProcessHandle.of(pid)
        .ifPresent(
            process -> {
              process.destroyForcibly();
              process.onExit().join();
            });
  }

  /**
   * Removes sandbox directories and disk numbers: a dead machine leaves no sockets, and a rollback
   * moves the sandbox to its next machine.
   */
  private static SortedSet<String> withoutTheMachine(SortedSet<String> files) {
    SortedSet<String> rest = new java.util.TreeSet<>();
    for (String file : files) {
      if (!file.startsWith("sandboxes/")) {
        rest.add(file.replaceAll("disk-[0-9]+", "disk"));
      }
    }
    return rest;
  }
}
