// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.sandboxes.Sandboxes;
import dev.ramet.engine.snapshots.Snapshot;
import dev.ramet.engine.templates.Template;
import dev.ramet.errors.RametException;
import dev.ramet.spi.storage.image.CopyProgress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills the host at every step of deletions, restarts, renames, tag moves, builds, exports and
 * imports, and checks that the next host finds the operation done or not done, and can repeat it.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class StepwiseCrashTest {
  private static final String CRASHED = "crashed";

  @TempDir private Path place;
  private Ground ground;
  private Sandbox sandbox;

  @BeforeAll
  void makeGround() throws Exception {
    ground = Ground.make();
    sandbox = ground.create();
    ground.engine().snapshots().create(sandbox.id(), "start");
  }

  @AfterAll
  void clear() throws Exception {
    ground.close();
  }

  /** A sandbox whose kill was not acknowledged is complete, or gone without a trace. */
  @TestFactory
  Stream<DynamicTest> duringTheEndOfASandbox() throws Exception {
    return each("kill.", () -> kill(ground.create().id()))
        .map(step -> DynamicTest.dynamicTest(step, () -> crashOfAKill(step)));
  }

  private void crashOfAKill(String step) throws Exception {
    SortedSet<String> before = ground.files();
    String victim = ground.create().id();
    killHost("kill", victim, step);
    for (Sandbox found : ground.engine().sandboxes().list()) {
      if (found.id().equals(victim)) {
        kill(victim);
      }
    }
    assertEquals(1, ground.machines().size(), "no machine without a sandbox");
    assertEquals(before, ground.files());
    ground.assertWell();
  }

  /** The sandbox runs on one machine, with everything that was on its disk. */
  @TestFactory
  Stream<DynamicTest> duringARestart() throws Exception {
    return each("restart.", () -> ground.engine().sandboxes().restart(sandbox.id()))
        .map(step -> DynamicTest.dynamicTest(step, () -> crashOfARestart(step)));
  }

  private void crashOfARestart(String step) throws Exception {
    ground.shell(sandbox.id()).run("echo " + step + " > /root/file");
    List<String> before = withoutMachines();
    killHost("restart", sandbox.id(), step);
    Sandbox found = ground.engine().sandboxes().get(sandbox.id());
    assertEquals(Sandbox.State.RUNNING, found.state(), found.stateDetail());
    assertEquals(step, ground.shell(sandbox.id()).run("cat /root/file"));
    assertEquals(1, ground.machines().size(), "one sandbox, one machine");
    assertEquals(before, withoutMachines(), "nothing half-made");
    ground.assertWell();
  }

  private List<String> withoutMachines() throws Exception {
    return ground.files().stream().map(f -> f.replaceAll("(vm|disk)-[0-9]+", "$1")).toList();
  }

  /** The sandbox has the old name and labels or the new ones, and the other name is free. */
  @TestFactory
  Stream<DynamicTest> duringTheChangeOfALabel() throws Exception {
    Sandboxes.LabelChange start = new Sandboxes.LabelChange("before", Map.of(), Set.of("owner"));
    return each("label.", () -> ground.engine().sandboxes().setLabel(sandbox.id(), start))
        .map(step -> DynamicTest.dynamicTest(step, () -> crashOfALabel(step, start)));
  }

  private void crashOfALabel(String step, Sandboxes.LabelChange start) throws Exception {
    killHost("label", sandbox.id(), step);
    Sandbox found = ground.engine().sandboxes().get(sandbox.id());
    boolean done = "crashed".equals(found.name());
    assertEquals(done ? "crashed" : "before", found.name());
    assertEquals(done, found.metadata().containsKey("owner"));
    String free = done ? "before" : "crashed";
    assertThrows(RametException.class, () -> ground.engine().sandboxes().get(free));
    ground.engine().sandboxes().setLabel(sandbox.id(), start);
    assertEquals(sandbox.id(), ground.engine().sandboxes().get("before").id());
  }

  @TestFactory
  Stream<DynamicTest> duringTheDeletionOfASnapshot() throws Exception {
    return each("reclaim.", () -> delete(ground.engine().snapshots().create(sandbox.id(), "probe")))
        .map(step -> DynamicTest.dynamicTest(step, () -> crashOfADeletion(step)));
  }

  private void crashOfADeletion(String step) throws Exception {
    SortedSet<String> before = ground.files();
    ground.engine().snapshots().create(sandbox.id(), CRASHED);
    killHost("delete", CRASHED, step);
    for (Snapshot found : ground.engine().snapshots().list(null)) {
      if (CRASHED.equals(found.name())) {
        kill(ground.create(found.id()).id());
        delete(found);
      }
    }
    assertEquals(before, ground.files());
    ground.assertWell();
  }

  /** A tag is on at most one version, and can be moved again. */
  @TestFactory
  Stream<DynamicTest> duringTheMoveOfATag() throws Exception {
    return Stream.of("tags.assign", "tags.strip", "tags.remove")
        .map(step -> DynamicTest.dynamicTest(step, () -> crashOfATag(step)));
  }

  private void crashOfATag(String step) throws Exception {
    SortedSet<String> before = ground.files();
    Template first = DerivedTemplates.derive(ground.engine(), CRASHED + ":one", "echo one > /one");
    Template second = DerivedTemplates.derive(ground.engine(), CRASHED + ":two", "echo two > /two");
    killHost(step.equals("tags.remove") ? "untag" : "tag", second.id() + " one", step);
    List<Template> holders =
        ground.engine().templates().versions(CRASHED + ":two").stream()
            .filter(version -> version.tags().contains("one"))
            .toList();
    assertTrue(holders.size() <= 1, () -> "a tag at two versions: " + holders);
    ground.engine().templates().tag(second.id(), List.of("one"));
    assertEquals(second.id(), ground.engine().templates().get(CRASHED + ":one").id());
    ground.engine().templates().delete(first.id());
    ground.engine().templates().delete(second.id());
    assertEquals(before, ground.files());
  }

  @TestFactory
  Stream<DynamicTest> duringTheBuildOfATemplate() throws Exception {
    return each(
            "template.",
            () -> ground.engine().templates().delete(DyingHost.build(ground.engine()).id()))
        .map(step -> DynamicTest.dynamicTest(step, () -> crashOfABuild(step)));
  }

  private void crashOfABuild(String step) throws Exception {
    SortedSet<String> before = ground.files();
    killHost("build", sandbox.id(), step);
    for (Template found : ground.engine().templates().list()) {
      assertFalse(found.name().equals(CRASHED), "one that was not acknowledged is not offered");
    }
    assertEquals(1, ground.machines().size(), "no machine of a build is left");
    assertEquals(before, ground.files());
    ground.assertWell();
  }

  @TestFactory
  Stream<DynamicTest> duringAnExport() throws Exception {
    Path out = Files.createDirectory(place.resolve("out"));
    return each("export.", () -> export(out.resolve("whole")))
        .map(step -> DynamicTest.dynamicTest(step, () -> crashOfAnExport(out, step)));
  }

  private void crashOfAnExport(Path out, String step) throws Exception {
    Path target = out.resolve("broken");
    killHost("export", target.toString(), step);
    if (step.equals("export.sync")) {
      // The export has its final name by then, and is complete.
      ground.engine().storage().importFrom(target, "probe", CopyProgress.NONE);
      ground.engine().snapshots().delete("probe", false);
    } else {
      assertFalse(Files.exists(target), "nothing that looks whole");
      export(target);
    }
    Trees.delete(target);
    assertEquals(List.of("whole"), Trees.names(out), "the next start takes the rest back");
  }

  @TestFactory
  Stream<DynamicTest> duringAnImport() throws Exception {
    Path source = place.resolve("imported");
    export(source);
    return each(
            "import.",
            () -> {
              ground.engine().storage().importFrom(source, "probe", CopyProgress.NONE);
              ground.engine().snapshots().delete("probe", false);
            })
        .map(step -> DynamicTest.dynamicTest(step, () -> crashOfAnImport(source, step)));
  }

  private void crashOfAnImport(Path source, String step) throws Exception {
    SortedSet<String> before = ground.files();
    killHost("import", source.toString(), step);
    for (Snapshot found : ground.engine().snapshots().list(null)) {
      assertFalse(CRASHED.equals(found.name()), "one that was not acknowledged is not offered");
    }
    assertEquals(before, ground.files());
    ground.assertWell();
  }

  private void kill(String id) {
    ground.engine().sandboxes().kill(id);
  }

  private void delete(Snapshot snapshot) {
    ground.engine().snapshots().delete(snapshot.id(), false);
  }

  private void export(Path target) {
    ground.engine().storage().exportTo("start", target, CopyProgress.NONE);
  }

  /** Returns the distinct steps with this prefix that a call takes, in order. */
  private Stream<String> each(String prefix, Call call) throws Exception {
    ground.steps().reset();
    call.run();
    ground.files();
    List<String> steps =
        ground.steps().seen().stream().filter(step -> step.startsWith(prefix)).distinct().toList();
    assertFalse(steps.isEmpty(), prefix);
    return steps.stream();
  }

  /** A call that may fail. */
  private interface Call {
    void run() throws Exception;
  }

  /** Runs an operation in a host that dies at this step, and reopens the data root. */
  private void killHost(String operation, String what, String step) throws Exception {
    ground.closeEngine();
    try {
      Process host =
          Hosts.start("DyingHost", ground.dataRoot().toString(), operation, what, step, "0");
      try {
        assertTrue(host.waitFor(2, TimeUnit.MINUTES), "the host hangs");
        assertEquals(DyingHost.STATUS, host.exitValue(), "the step was reached");
      } finally {
        host.destroyForcibly();
      }
    } finally {
      ground.openEngine();
    }
  }
}
