// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.snapshots.Snapshot;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests the state of a snapshot and its replacement after failures. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ReplacementFailuresTest {
  @AutoClose @RegisterExtension private final CapturedMachine machine = CapturedMachine.make();

  private final Ground ground = machine.ground();

  @Test
  void aFailureInPlaceLosesTheOldOneAndSaysNothingElse() throws Exception {
    machine.snapshot();
    Snapshot old = machine.snapshot();
    ground.steps().breakAt("snapshot.write", 0);
    assertThrows(StepRecorder.Broken.class, () -> machine.replacing(old));
    ground.steps().reset();
    machine.assertGone(old);
    String hash = machine.write("file");
    Snapshot next = machine.snapshot();
    assertEquals(hash, machine.restored(next, "file"));
  }

  @TestFactory
  Stream<DynamicTest> killedAtEveryStep() {
    return Stream.of(
            "replace.withdraw",
            "replace.reuse",
            "snapshot.pause",
            "snapshot.write",
            "snapshot.seal",
            "snapshot.publish",
            "replace.delete")
        .map(step -> DynamicTest.dynamicTest(step, () -> crash(step)));
  }

  private void crash(String step) throws Exception {
    String hash = machine.write("file");
    // Two earlier snapshots take these steps too.
    int pass = step.startsWith("snapshot.") ? 2 : 0;
    ground.closeEngine();
    try {
      Process host =
          Hosts.start(
              "DyingHost",
              ground.dataRoot().toString(),
              "replace",
              machine.id(),
              step,
              Integer.toString(pass));
      try {
        assertTrue(host.waitFor(2, TimeUnit.MINUTES), "the host hangs");
        assertEquals(DyingHost.STATUS, host.exitValue(), "the step was reached");
      } finally {
        host.destroyForcibly();
      }
    } finally {
      ground.openEngine();
    }
    List<Snapshot> found = ground.engine().snapshots().list(null);
    List<String> names = found.stream().map(Snapshot::name).sorted().toList();
    assertEquals(
        switch (step) {
          case "replace.withdraw" -> List.of("first", "victim");
          case "replace.delete" -> List.of("crashed", "first");
          default -> List.of("first");
        },
        names,
        "whatever is offered is whole");
    for (Snapshot snapshot : found) {
      assertEquals(Snapshot.Status.READY, snapshot.status());
      assertEquals(hash, machine.restored(snapshot, "file"), snapshot.name());
    }
    assertEquals(hash, machine.hash(machine.id()), "the sandbox runs on");
    assertEquals(
        found.size() + 1, machine.images().size(), "no volume but theirs and the template's");
    ground.assertWell();
    found.forEach(snapshot -> ground.engine().snapshots().delete(snapshot.id(), false));
  }
}
