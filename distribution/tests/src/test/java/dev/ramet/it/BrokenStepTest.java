// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.sandboxes.CloneRequest;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;

/**
 * Breaks every step of every operation once. The steps are those a successful run takes, so a new
 * step is covered automatically.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class BrokenStepTest {
  private Ground ground;
  private Sandbox sandbox;

  @BeforeAll
  void makeGround() throws Exception {
    ground = Ground.make();
    sandbox = ground.create();
    ground.shell(sandbox.id()).run("echo start > /tmp/file");
    ground.engine().snapshots().create(sandbox.id(), "start");
  }

  @AfterAll
  void clear() throws Exception {
    ground.close();
  }

  @TestFactory
  Stream<DynamicTest> aBrokenSnapshotLeavesTheSandboxRunningAndNothingBehind() {
    return eachStep(
        () -> ground.engine().snapshots().create(sandbox.id(), "probe"),
        () -> ground.engine().snapshots().delete("probe", false));
  }

  @TestFactory
  Stream<DynamicTest> aBrokenCloneLeavesNoOrphan() {
    List<String> clones = new ArrayList<>();
    return eachStep(
        () ->
            ground
                .engine()
                .sandboxes()
                .clone(sandbox.id(), new CloneRequest(2, 2, null))
                .sandboxes()
                .forEach(clone -> clones.add(clone.id())),
        () -> {
          clones.forEach(id -> ground.engine().sandboxes().kill(id));
          clones.clear();
        });
  }

  @TestFactory
  Stream<DynamicTest> aBrokenCreateLeavesNothing() {
    List<String> made = new ArrayList<>();
    return eachStep(
        () -> made.add(ground.create().id()),
        () -> {
          made.forEach(id -> ground.engine().sandboxes().kill(id));
          made.clear();
        });
  }

  @TestFactory
  Stream<DynamicTest> aBrokenBuildOfATemplateLeavesNothing() {
    ground.steps().reset();
    DerivedTemplates.derive(ground.engine(), "derived", "true");
    List<String> steps =
        ground.steps().seen().stream()
            // The steps of a capture itself are covered by the test of snapshots.
            .filter(step -> step.startsWith("template.") || step.equals("snapshot.publish"))
            .distinct()
            .toList();
    ground.engine().templates().delete("derived");
    assertTrue(steps.contains("template.step") && steps.contains("snapshot.publish"), "" + steps);
    return steps.stream()
        .map(
            step ->
                DynamicTest.dynamicTest(
                    step,
                    () ->
                        breakStep(
                            () -> DerivedTemplates.derive(ground.engine(), "derived", "true"),
                            step,
                            0)));
  }

  @Test
  void aFailingStepOfATemplateIsToldAndLeavesNothing() throws Exception {
    SortedSet<String> before = ground.files();
    RametException e =
        assertThrows(
            RametException.class,
            () -> DerivedTemplates.derive(ground.engine(), "derived", "echo the reason; exit 3"));
    assertEquals(ErrorCode.INVALID_ARGUMENT, e.code());
    assertTrue(String.valueOf(e.getMessage()).matches("(?s).*exit status 3.*the reason"), "" + e);
    assertEquals(before, ground.files());
    assertEquals(1, ground.machines().size());
  }

  /** Runs the operation once to record its steps; then once per step with that step broken. */
  private Stream<DynamicTest> eachStep(Runnable operation, Runnable takeBack) {
    ground.steps().reset();
    operation.run();
    Map<String, Integer> counts = count(ground.steps().seen());
    takeBack.run();
    List<DynamicTest> tests = new ArrayList<>();
    counts.forEach(
        (step, count) -> {
          for (int i = 0; i < count; i++) {
            int occurrence = i;
            tests.add(
                DynamicTest.dynamicTest(
                    step + " #" + i, () -> breakStep(operation, step, occurrence)));
          }
        });
    return tests.stream();
  }

  private static Map<String, Integer> count(List<String> steps) {
    Map<String, Integer> counts = new LinkedHashMap<>();
    steps.forEach(step -> counts.merge(step, 1, Integer::sum));
    return counts;
  }

  private void breakStep(Runnable operation, String step, int occurrence) throws Exception {
    SortedSet<String> before = ground.files();
    List<Long> machines = ground.machines();
    GuestShell shell = ground.shell(sandbox.id());
    shell.run("echo " + step + occurrence + " > /tmp/file");
    ground.steps().breakAt(step, occurrence);
    try {
      assertThrows(RuntimeException.class, operation::run);
    } finally {
      ground.steps().reset();
    }
    assertEquals(Sandbox.State.RUNNING, ground.engine().sandboxes().get(sandbox.id()).state());
    assertEquals(step + occurrence, shell.run("cat /tmp/file"), "the guest runs on");
    assertEquals(machines, ground.machines());
    assertEquals(before, ground.files());
  }

  @TestFactory
  Stream<DynamicTest> aBrokenRollbackLeavesTheSandboxAsItWas() throws Exception {
    ground.steps().reset();
    ground.engine().sandboxes().rollback(sandbox.id(), "start");
    List<String> steps = new ArrayList<>(new TreeSet<>(ground.steps().seen()));
    assertTrue(steps.contains("rollback.commit"));
    ground.shell(sandbox.id()).run("echo rolled > /tmp/file");
    return steps.stream().map(step -> DynamicTest.dynamicTest(step, () -> breakRollback(step)));
  }

  private void breakRollback(String step) throws Exception {
    GuestShell shell = ground.shell(sandbox.id());
    shell.run("echo " + step + " > /tmp/file");
    List<Long> machines = ground.machines();
    SortedSet<String> before = ground.files();
    ground.steps().breakAt(step, 0);
    boolean done = false;
    try {
      ground.engine().sandboxes().rollback(sandbox.id(), "start");
      done = true;
    } catch (RuntimeException broken) {
      assertEquals(machines, ground.machines());
      assertEquals(before, ground.files());
    } finally {
      ground.steps().reset();
    }
    // Once the manifest is replaced the rollback has happened, even if the clean-up fails.
    String expected = done ? "start" : step;
    assertEquals(expected, ground.shell(sandbox.id()).run("cat /tmp/file"));
    assertEquals(1, ground.machines().size());
    if (done) {
      ground.closeEngine();
      ground.openEngine();
      assertEquals(
          1, ground.files().stream().filter(f -> f.matches("sandboxes/[^/]+/vm-[0-9]+")).count());
      assertEquals(expected, ground.shell(sandbox.id()).run("cat /tmp/file"));
    }
  }
}
