// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.sandboxes.InboundRules;
import dev.ramet.engine.sandboxes.Metrics;
import dev.ramet.engine.sandboxes.NewSandbox;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.sandboxes.SandboxRules;
import dev.ramet.engine.sandboxes.Sandboxes;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;

/** Pauses and resumes real machines, also with broken steps. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class SuspensionTest {
  private static final Sandboxes.Timeout FOR_EVER = new Sandboxes.Timeout(null);

  private Ground ground;

  @BeforeAll
  void makeGround() throws Exception {
    ground = Ground.make();
  }

  @AfterAll
  void clear() throws Exception {
    ground.close();
  }

  @AfterEach
  void killAll() {
    ground.steps().reset();
    sandboxes().list().forEach(sandbox -> sandboxes().kill(sandbox.id()));
  }

  private Sandboxes sandboxes() {
    return ground.engine().sandboxes();
  }

  @Test
  void memoryAndProcessesOutliveAPauseAndARestartOfTheHost() throws Exception {
    Sandbox sandbox = ground.create();
    String id = sandbox.id();
    GuestShell shell = ground.shell(id);
    shell.run("echo kept > /tmp/in-memory; sleep 1000 >/dev/null 2>&1 & echo $! > /tmp/pid");
    SortedSet<String> running = withoutNumbers(ground.files());

    Sandbox paused = sandboxes().pause(id, true);
    assertEquals(Sandbox.State.PAUSED, paused.state());
    assertEquals(List.of(), ground.machines());
    assertEquals(ErrorCode.NOT_FOUND, codeOf(() -> sandboxes().endpoint(id, 49983)));
    assertEquals(ErrorCode.CONFLICT, codeOf(() -> sandboxes().pause(id, true)));
    assertEquals(List.of(), ground.engine().snapshots().list(id), "its snapshot is only its own");

    ground.closeEngine();
    ground.openEngine();
    assertEquals(Sandbox.State.PAUSED, sandboxes().get(id).state());

    assertEquals(Sandbox.State.RUNNING, sandboxes().resume(id, FOR_EVER, true).state());
    shell = ground.shell(id);
    assertEquals("kept", shell.run("cat /tmp/in-memory"));
    shell.run("kill -0 $(cat /tmp/pid)");
    sandboxes().resume(id, FOR_EVER, true); // a running sandbox is left alone
    assertEquals(1, ground.machines().size());

    ground.closeEngine();
    ground.openEngine();
    assertEquals("kept", ground.shell(id).run("cat /tmp/in-memory"));
    sandboxes().pause(id, true);
    sandboxes().resume(id, FOR_EVER, true);
    assertEquals("kept", ground.shell(id).run("cat /tmp/in-memory"));
    sandboxes().kill(id);
    SortedSet<String> left = withoutNumbers(ground.files());
    left.removeIf(file -> !file.contains(id) && running.contains(file));
    assertEquals(new TreeSet<>(), left, "nothing stays of a sandbox that was paused");
  }

  /**
   * Somebody may repair the manifest, for instance from a backup, so nothing the sandbox resumes
   * from is removed.
   */
  @Test
  void aPausedSandboxOutlivesThatItsManifestCannotBeRead() throws Exception {
    String id = ground.create().id();
    ground.shell(id).run("echo kept > /tmp/in-memory");
    sandboxes().pause(id, true);
    SortedSet<String> before = ground.files();
    Path manifest = ground.root().resolve("sandboxes/" + id + "/manifest.json");
    byte[] whole = Files.readAllBytes(manifest);

    ground.closeEngine();
    Files.write(manifest, new byte[0]);
    ground.openEngine();
    assertEquals(ErrorCode.NOT_FOUND, codeOf(() -> sandboxes().get(id)));
    ground.engine().storage().check(true);
    assertEquals(before, ground.files());

    ground.closeEngine();
    Files.write(manifest, whole);
    ground.openEngine();
    sandboxes().resume(id, FOR_EVER, true);
    assertEquals("kept", ground.shell(id).run("cat /tmp/in-memory"));
    sandboxes().kill(id);
  }

  @Test
  void withoutMemoryItBootsFromItsDisk() throws Exception {
    Sandbox sandbox =
        sandboxes()
            .create(NewSandbox.of(Ground.TEMPLATE).environment(Map.of("NAME", "value")).build());
    String id = sandbox.id();
    ground.shell(id).run("echo disk > /root/on-disk; echo memory > /tmp/in-memory");
    sandboxes().pause(id, false);
    assertEquals(List.of(), ground.machines());
    sandboxes().resume(id, FOR_EVER, true);
    GuestShell shell = ground.shell(id);
    assertEquals("disk", shell.run("cat /root/on-disk"));
    assertEquals("value", shell.run("echo $NAME"));
    shell.run("[ ! -e /tmp/in-memory ]");
    shell.run("echo memory > /tmp/in-memory; sync");
    sandboxes().pause(id, true);
    sandboxes().resume(id, FOR_EVER, false);
    ground.shell(id).run("[ ! -e /tmp/in-memory ] && cat /root/on-disk");
    assertTrue(
        ground.files().stream().noneMatch(file -> file.matches("snapshots/p.*")),
        "what is not needed any more is gone: " + ground.files());
  }

  @Test
  void aSandboxIsPausedAtItsEndAndGetsItsTimeAgain() throws Exception {
    InboundRules inbound = new InboundRules(false, "app:${PORT}", List.of(8443));
    SandboxRules rules = new SandboxRules(SandboxRules.AtEnd.PAUSE, true, true, true).with(inbound);
    Sandbox sandbox =
        sandboxes()
            .create(
                NewSandbox.of(Ground.TEMPLATE).timeout(Duration.ofSeconds(3)).rules(rules).build());
    String id = sandbox.id();
    assertNotNull(sandbox.accessToken());
    assertNotNull(sandbox.trafficToken());
    while (sandboxes().get(id).state() == Sandbox.State.RUNNING) {
      Thread.sleep(20);
      assertTrue(Instant.now().isBefore(sandbox.startedAt().plusSeconds(15)), "it was not paused");
    }
    assertFalse(Instant.now().isBefore(sandbox.startedAt().plusSeconds(3)), "too early");
    assertEquals(Sandbox.State.PAUSED, sandboxes().get(id).state());
    Thread.sleep(500); // an end time in the past does not kill a paused sandbox
    Instant before = Instant.now();
    Sandbox again = sandboxes().resume(id, null, true);
    assertEquals(sandbox.accessToken(), again.accessToken());
    assertEquals(sandbox.trafficToken(), again.trafficToken());
    Instant end = again.endAt();
    assertNotNull(end);
    assertFalse(end.isBefore(before.plusSeconds(3)));
    assertEquals(rules, again.rules());
    sandboxes().setEnd(id, null);
    Metrics load = sandboxes().metrics(id);
    assertEquals(1, load.cpuCount());
    assertTrue(load.memoryUsedBytes() > 0 && load.memoryUsedBytes() < load.memoryTotalBytes());
    Sandbox clone =
        sandboxes()
            .clone(id, new dev.ramet.engine.sandboxes.CloneRequest(1, 1, null))
            .sandboxes()
            .get(0);
    assertNotNull(clone.accessToken());
    assertFalse(clone.accessToken().equals(again.accessToken()), "a clone has its own token");
    assertNotNull(clone.trafficToken());
    assertFalse(clone.trafficToken().equals(again.trafficToken()), "and this one too");
    assertEquals(inbound, clone.rules().inbound());
  }

  @Test
  void aPausedSandboxCanBeRolledBack() throws Exception {
    String id = ground.create().id();
    ground.shell(id).run("echo one > /tmp/file");
    ground.engine().snapshots().create(id, "one");
    ground.shell(id).run("echo two > /tmp/file");
    sandboxes().pause(id, true);
    sandboxes().rollback(id, "one");
    assertEquals("one", ground.shell(id).run("cat /tmp/file"));
    ground.engine().snapshots().delete("one", false);
  }

  @TestFactory
  Stream<DynamicTest> aBrokenStepLeavesASandboxThatRunsOrIsPaused() throws Exception {
    String id = ground.create().id();
    List<String> pausing = steps(() -> sandboxes().pause(id, true));
    List<String> resuming = steps(() -> sandboxes().resume(id, FOR_EVER, true));
    sandboxes().kill(id);
    return Stream.concat(
        pausing.stream().map(step -> DynamicTest.dynamicTest(step, () -> breakPause(step))),
        resuming.stream().map(step -> DynamicTest.dynamicTest(step, () -> breakResume(step))));
  }

  private List<String> steps(Runnable operation) {
    ground.steps().reset();
    operation.run();
    return ground.steps().seen().stream().distinct().toList();
  }

  private String current() {
    return sandboxes().list().isEmpty() ? ground.create().id() : sandboxes().list().get(0).id();
  }

  private void breakPause(String step) throws Exception {
    String id = current();
    ground.shell(id).run("echo " + step + " > /tmp/file");
    List<Long> machines = ground.machines();
    SortedSet<String> files = ground.files();
    boolean broken = broken(step, () -> sandboxes().pause(id, true));
    Sandbox now = sandboxes().get(id);
    if (now.state() == Sandbox.State.RUNNING) {
      assertTrue(broken);
      assertEquals(machines, ground.machines());
      assertEquals(files, ground.files());
    } else {
      assertEquals(Sandbox.State.PAUSED, now.state());
      assertEquals(List.of(), ground.machines());
      sandboxes().resume(id, FOR_EVER, true);
    }
    assertEquals(step, ground.shell(id).run("cat /tmp/file"));
  }

  private void breakResume(String step) throws Exception {
    String id = current();
    ground.shell(id).run("echo " + step + " > /tmp/file");
    sandboxes().pause(id, true);
    SortedSet<String> files = ground.files();
    boolean broken = broken(step, () -> sandboxes().resume(id, FOR_EVER, true));
    if (broken) {
      assertEquals(Sandbox.State.PAUSED, sandboxes().get(id).state());
      assertEquals(List.of(), ground.machines());
      assertEquals(files, ground.files());
      sandboxes().resume(id, FOR_EVER, true);
    }
    assertEquals(step, ground.shell(id).run("cat /tmp/file"));
    assertEquals(1, ground.machines().size());
  }

  private boolean broken(String step, Runnable operation) {
    ground.steps().breakAt(step, 0);
    try {
      operation.run();
      return false;
    } catch (RuntimeException e) {
      return true;
    } finally {
      ground.steps().reset();
    }
  }

  private static ErrorCode codeOf(Runnable operation) {
    return assertThrows(RametException.class, operation::run).code();
  }

  private static SortedSet<String> withoutNumbers(SortedSet<String> files) {
    TreeSet<String> result = new TreeSet<>();
    files.forEach(f -> result.add(f.replaceAll("(vm|disk)-[0-9]+", "$1")));
    return result;
  }
}
