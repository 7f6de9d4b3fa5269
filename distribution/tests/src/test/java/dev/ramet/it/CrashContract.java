// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.sandboxes.CloneRequest;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.sandboxes.Sandboxes;
import dev.ramet.engine.snapshots.Snapshot;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;

/**
 * Kills the host at every step of an operation and checks that the next host finds a consistent
 * data root.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class CrashContract {
  private Ground ground;
  private Sandbox sandbox;

  /** Makes the ground that the operations run on. */
  abstract Ground make() throws Exception;

  /** Deletes whatever {@link #make} made in addition to the ground. */
  void unmake() throws Exception {}

  @BeforeAll
  void makeGround() throws Exception {
    ground = make();
    sandbox = ground.create();
    ground.shell(sandbox.id()).run("echo start > /tmp/file");
    ground.engine().snapshots().create(sandbox.id(), "start");
  }

  @AfterAll
  void clear() throws Exception {
    ground.close();
    unmake();
  }

  @TestFactory
  Stream<DynamicTest> duringASnapshot() {
    ground.steps().reset();
    ground.engine().snapshots().create(sandbox.id(), "probe");
    List<String> steps = ground.steps().seen();
    ground.engine().snapshots().delete("probe", false);
    return steps.stream()
        .map(step -> DynamicTest.dynamicTest(step, () -> crash("snapshot", step, 0)));
  }

  @TestFactory
  Stream<DynamicTest> duringAWriteThatNobodyWaitsFor() {
    return Stream.of("snapshot.resume", "snapshot.write", "snapshot.seal", "snapshot.publish")
        .map(step -> DynamicTest.dynamicTest(step, () -> crash("unawaited", step, 0)));
  }

  @TestFactory
  Stream<DynamicTest> whileASnapshotTakesATagFromAnother() {
    return Stream.of("snapshot.publish", "tags.strip")
        .map(step -> DynamicTest.dynamicTest(step, () -> crashOfAMove(step)));
  }

  private void crashOfAMove(String step) throws Exception {
    String first = ground.engine().snapshots().create(sandbox.id(), "crashed").id();
    ground.closeEngine();
    try {
      assertEquals(DyingHost.STATUS, dyingHost("snapshot", step, 0), "the step was reached");
    } finally {
      ground.openEngine();
    }
    boolean moved = step.equals("tags.strip");
    Snapshot holder = ground.engine().snapshots().get("crashed");
    assertEquals(moved, !holder.id().equals(first));
    assertEquals(List.of("default"), holder.tags());
    List<Snapshot> versions =
        ground.engine().snapshots().list(null).stream()
            .filter(snapshot -> "crashed".equals(snapshot.name()))
            .toList();
    assertEquals(moved ? 2 : 1, versions.size());
    assertEquals(1, versions.stream().mapToInt(version -> version.tags().size()).sum());
    ground.engine().snapshots().delete("crashed", false);
    assertEquals(1, ground.engine().snapshots().list(null).size(), "a name is all its versions");
  }

  @Test
  void whatWasToldToBeReadyIsThere() throws Exception {
    ground.shell(sandbox.id()).run("echo told > /tmp/file");
    ground.closeEngine();
    try {
      assertEquals(DyingHost.STATUS, dyingHost("acknowledged", "none", 0));
    } finally {
      ground.openEngine();
    }
    assertEquals(Snapshot.Status.READY, ground.engine().snapshots().get("crashed").status());
    Sandbox back = ground.create("crashed");
    assertEquals("told", ground.shell(back.id()).run("cat /tmp/file"));
    ground.engine().sandboxes().kill(back.id());
    ground.engine().snapshots().delete("crashed", false);
  }

  @TestFactory
  Stream<DynamicTest> duringARollback() {
    ground.steps().reset();
    ground.engine().sandboxes().rollback(sandbox.id(), "start");
    return ground.steps().seen().stream()
        .map(step -> DynamicTest.dynamicTest(step, () -> crash("rollback", step, 0)));
  }

  @TestFactory
  Stream<DynamicTest> duringAPauseAndAResume() {
    ground.steps().reset();
    ground.engine().sandboxes().pause(sandbox.id(), true);
    // The steps of its capture are covered by the test of snapshots.
    List<String> pausing = own("pause.");
    ground.steps().reset();
    ground.engine().sandboxes().resume(sandbox.id(), new Sandboxes.Timeout(null), true);
    List<String> resuming = own("resume.");
    return Stream.concat(
        pausing.stream().map(step -> DynamicTest.dynamicTest(step, () -> crash("pause", step, 0))),
        resuming.stream()
            .map(step -> DynamicTest.dynamicTest(step, () -> crash("resume", step, 0))));
  }

  private List<String> own(String prefix) {
    return ground.steps().seen().stream()
        .filter(step -> step.startsWith(prefix))
        .distinct()
        .toList();
  }

  @TestFactory
  Stream<DynamicTest> duringAClone() {
    ground.steps().reset();
    ground
        .engine()
        .sandboxes()
        .clone(sandbox.id(), new CloneRequest(2, 1, null))
        .sandboxes()
        .forEach(clone -> ground.engine().sandboxes().kill(clone.id()));
    List<String> steps =
        ground.steps().seen().stream()
            .filter(step -> step.startsWith("clone."))
            .distinct()
            .toList();
    // The second clone's steps, so that a finished clone exists that must be undone.
    return steps.stream()
        .map(
            step ->
                DynamicTest.dynamicTest(
                    step, () -> crash("clone", step, step.equals("clone.commit") ? 2 : 1)));
  }

  @TestFactory
  Stream<DynamicTest> duringTheBuildOfATemplate() {
    return Stream.of("template.step", "snapshot.publish")
        .map(step -> DynamicTest.dynamicTest(step, () -> crash("derive", step, 0)));
  }

  private void crash(String operation, String step, int pass) throws Exception {
    String mark = operation + "-" + step;
    ground.shell(sandbox.id()).run("echo " + mark + " > /tmp/file");
    SortedSet<String> before = withoutMachines(ground.files());
    if (operation.equals("resume")) {
      ground.engine().sandboxes().pause(sandbox.id(), true);
    }
    ground.closeEngine();
    try {
      assertEquals(DyingHost.STATUS, dyingHost(operation, step, pass), "the step was reached");
    } finally {
      ground.openEngine();
    }

    if (ground.engine().sandboxes().get(sandbox.id()).state() == Sandbox.State.PAUSED) {
      assertEquals(List.of(), ground.machines(), "a paused sandbox has no machine");
      ground.engine().sandboxes().resume(sandbox.id(), new Sandboxes.Timeout(null), true);
    }
    Sandbox found = ground.engine().sandboxes().get(sandbox.id());
    assertEquals(Sandbox.State.RUNNING, found.state(), found.stateDetail());
    String now = ground.shell(sandbox.id()).run("cat /tmp/file");
    assertTrue(
        now.equals(mark) || (operation.equals("rollback") && now.equals("start")),
        "neither before nor after: " + now);
    assertEquals(1, ground.machines().size(), "one sandbox, one machine");
    for (Snapshot snapshot : ground.engine().snapshots().list(null)) {
      assertEquals(Snapshot.Status.READY, snapshot.status());
    }
    ground.engine().snapshots().list(null).stream()
        .filter(snapshot -> "crashed".equals(snapshot.name()))
        .forEach(snapshot -> ground.engine().snapshots().delete(snapshot.id(), false));
    ground.engine().templates().list().stream()
        .filter(template -> template.name().equals("crashed"))
        .forEach(template -> ground.engine().templates().delete(template.id()));
    assertEquals(
        withoutPauses(before), withoutPauses(withoutMachines(ground.files())), "nothing half-made");
  }

  /** Removes the machine numbers, because a rollback moves a sandbox to its next machine. */
  private static SortedSet<String> withoutMachines(SortedSet<String> files) {
    TreeSet<String> result = new TreeSet<>();
    for (String file : files) {
      result.add(file.replaceAll("vm-[0-9]+", "vm").replaceAll("disk-[0-9]+", "disk"));
    }
    return result;
  }

  /**
   * Removes the snapshots of pauses, because a resumed sandbox keeps the one it was resumed from.
   */
  private static SortedSet<String> withoutPauses(SortedSet<String> files) {
    TreeSet<String> result = new TreeSet<>(files);
    result.removeIf(
        file ->
            file.matches("snapshots/p[0-9a-z]{19}.*|(memory/)?volumes/(.*/)?p[0-9a-z]{19}[./].*"));
    return result;
  }

  private int dyingHost(String operation, String step, int pass) throws Exception {
    Process host =
        Hosts.start(
            "DyingHost",
            ground.dataRoot().toString(),
            operation,
            sandbox.id(),
            step,
            Integer.toString(pass));
    try {
      assertTrue(host.waitFor(2, TimeUnit.MINUTES), "the host hangs");
      return host.exitValue();
    } finally {
      host.destroyForcibly();
    }
  }
}
