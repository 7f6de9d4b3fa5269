// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.sandboxes.NewSandbox;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.sandboxes.Sandboxes;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Tests restarts of real machines that run, are paused or have died, and the end of sandboxes. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class RestartTest {
  private Ground ground;

  @BeforeAll
  void make() throws Exception {
    ground = Ground.make();
  }

  @AfterEach
  void clear() {
    ground.clear();
  }

  @AfterAll
  void close() throws Exception {
    ground.close();
  }

  private Sandboxes sandboxes() {
    return ground.engine().sandboxes();
  }

  /** Makes a sandbox with a file on its disk and one in its memory. */
  private Sandbox marked() throws Exception {
    Sandbox made = ground.create();
    ground.shell(made.id()).run("echo kept > /root/file; echo lost > /tmp/file");
    return made;
  }

  /** Checks that a sandbox has booted from its disk. */
  private void assertBooted(String id) throws Exception {
    Sandbox now = sandboxes().get(id);
    assertEquals(Sandbox.State.RUNNING, now.state(), now.stateDetail());
    assertEquals("kept", ground.shell(id).run("cat /root/file"));
    assertEquals("gone", ground.shell(id).run("test -e /tmp/file || echo gone"));
    assertEquals(1, ground.machines().size(), "one sandbox, one machine");
    ground.assertWell();
  }

  @Test
  void aRunningSandboxKeepsItsDiskAndItsPlace() throws Exception {
    Sandbox before = marked();
    ground.engine().snapshots().create(before.id(), "before");
    Sandbox after = sandboxes().restart(before.id());
    assertBooted(before.id());
    assertNotEquals(before.hypervisorPid(), after.hypervisorPid());
    assertEquals(before.startedAt(), after.startedAt());
    assertEquals(before.endAt(), after.endAt());
    // Its snapshots still belong to it.
    sandboxes().rollback(before.id(), "before");
    assertEquals("lost", ground.shell(before.id()).run("cat /tmp/file"));
  }

  @Test
  void aSandboxWhoseMachineDiedRunsAgain() throws Exception {
    Sandbox before = marked();
    ground.shell(before.id()).run("sync");
    ProcessHandle machine = ProcessHandle.of(Objects.requireNonNull(before.hypervisorPid())).get();
    machine.destroyForcibly();
    machine.onExit().get(30, TimeUnit.SECONDS);
    sandboxes().restart(before.id());
    assertBooted(before.id());
  }

  @Test
  void aPausedSandboxBootsAndLeavesNothingOfItsPause() throws Exception {
    Sandbox before = marked();
    ground.shell(before.id()).run("sync");
    sandboxes().pause(before.id(), true);
    sandboxes().restart(before.id());
    assertBooted(before.id());
    assertEquals(
        List.of(), ground.files().stream().filter(f -> f.startsWith("snapshots/p")).toList());
  }

  @Test
  void aRestartThatFailsLeavesTheSandboxAsItWas() throws Exception {
    Sandbox before = marked();
    List<Long> machines = ground.machines();
    var files = ground.files();
    for (String step : List.of("restart.machine", "restart.commit")) {
      ground.steps().breakAt(step, 0);
      assertThrows(RuntimeException.class, () -> sandboxes().restart(before.id()), step);
      ground.steps().reset();
      assertEquals("lost", ground.shell(before.id()).run("cat /tmp/file"), step);
      ground.shell(before.id()).run("echo more > /root/more; sync"); // its files are thawed
      assertEquals(machines, ground.machines(), step);
      assertEquals(files, ground.files(), step);
    }
  }

  @Test
  void theLogSaysThatASandboxReachedItsEnd() throws Exception {
    try (LogRecorder log = LogRecorder.of("dev.ramet.engine.sandbox.SandboxExpiry")) {
      NewSandbox brief = NewSandbox.of(Ground.TEMPLATE).timeout(Duration.ofSeconds(1)).build();
      String id = sandboxes().create(brief).id();
      Instant end = Instant.now().plusSeconds(60);
      while (sandboxes().list().stream().anyMatch(s -> s.id().equals(id))) {
        assertTrue(Instant.now().isBefore(end), "it does not end");
        Thread.onSpinWait();
      }
      String line = log.messages().get(0);
      assertTrue(line.contains("the time of sandbox " + id + " is over"), line);
      assertTrue(line.endsWith("killing it and deleting its disk"), line);
    }
  }
}
