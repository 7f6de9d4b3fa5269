// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.sandboxes.CloneReport;
import dev.ramet.engine.sandboxes.CloneRequest;
import dev.ramet.engine.sandboxes.ForkResult;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.snapshots.CaptureReport;
import dev.ramet.engine.snapshots.Snapshot;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SortedSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Tests Ramet's main job on real machines: snapshot, roll back and clone. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class MainJobTest {
  // A process that keeps a value in a variable and prints it when asked through a pipe.
  private static final String KEEPER =
      "rm -f /tmp/ask /tmp/answer; mkfifo /tmp/ask /tmp/answer; "
          + "setsid sh -c 'v=secret; while true; do read q < /tmp/ask; "
          + "case $q in set:*) v=${q#set:};; esac; echo $v > /tmp/answer; done' "
          + ">/dev/null 2>&1 & echo $!";

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
    ground.engine().sandboxes().list().forEach(s -> ground.engine().sandboxes().kill(s.id()));
    ground
        .engine()
        .snapshots()
        .list(null)
        .forEach(s -> ground.engine().snapshots().delete(s.id(), false));
  }

  /** Returns the memory mode that the doctor selects here. */
  static String memoryChoice(Ground ground) {
    return ground.engine().doctor().report(false).selections().stream()
        .filter(selection -> selection.role().equals("memory"))
        .map(selection -> Objects.requireNonNull(selection.chosen()))
        .findFirst()
        .orElseThrow();
  }

  private static String ask(GuestShell shell) throws Exception {
    return shell.run("echo tell > /tmp/ask; cat /tmp/answer");
  }

  @Test
  void snapshotRollbackAndCloneKeepDiskMemoryAndProcesses() throws Exception {
    SortedSet<String> before = ground.files();
    Sandbox sandbox = ground.create();
    String id = sandbox.id();
    GuestShell shell = ground.shell(id);
    shell.run("echo disk > /root/file && sync && echo memory > /tmp/file");
    String keeper = shell.run(KEEPER);
    assertEquals("secret", ask(shell));

    Snapshot snapshot = ground.engine().snapshots().create(id, "first");
    CaptureReport report = Objects.requireNonNull(snapshot.capture());
    assertEquals(memoryChoice(ground), report.mode());
    assertTrue(
        report.memoryBytesWritten() + report.memoryBytesHoles() <= report.memoryBytesSelected(),
        report.toString());
    assertTrue(report.memoryBytesWritten() < report.memoryBytesTotal() / 2, report.toString());

    shell.run("rm /root/file /tmp/file; kill -9 " + keeper + "; sync");
    assertNotEquals(0, shell.execute("cat /root/file").exitCode());

    Sandbox after = ground.engine().sandboxes().rollback(id, "first").sandbox();
    assertEquals(id, after.id());
    assertEquals(Sandbox.State.RUNNING, after.state());
    assertHasAll(ground.shell(id));
    assertEquals(1, ground.machines().size(), "the old machine is gone");

    Long pid = after.hypervisorPid();
    final Instant begun = Instant.now();
    CloneReport clones = ground.engine().sandboxes().clone(id, new CloneRequest(4, 2, null));
    final Duration took = Duration.between(begun, Instant.now());
    assertEquals(4, clones.sandboxes().size());
    Set<String> random = new HashSet<>();
    for (Sandbox clone : clones.sandboxes()) {
      GuestShell inside = ground.shell(clone.id());
      assertHasAll(inside);
      inside.run("echo " + clone.id() + " | tee /root/file /tmp/file; sync");
      inside.run("echo set:" + clone.id() + " > /tmp/ask; cat /tmp/answer");
      random.add(inside.run("head -c 16 /dev/urandom | od -An -tx1"));
      assertClock(inside, took);
    }
    assertEquals(4, random.size(), "clones share no randomness");
    for (Sandbox clone : clones.sandboxes()) {
      GuestShell inside = ground.shell(clone.id());
      assertEquals(clone.id(), inside.run("cat /root/file"));
      assertEquals(clone.id(), inside.run("cat /tmp/file"));
      assertEquals(clone.id(), ask(inside));
    }
    assertHasAll(ground.shell(id));
    assertEquals(pid, ground.engine().sandboxes().get(id).hypervisorPid());

    killAll();
    assertEquals(List.of(), ground.machines());
    assertEquals(before, ground.files());
  }

  private static void assertHasAll(GuestShell shell) throws Exception {
    assertEquals("disk", shell.run("cat /root/file"));
    assertEquals("memory", shell.run("cat /tmp/file"));
    assertEquals("secret", ask(shell));
  }

  /**
   * Checks the clock of a guest whose restore took this long. The host sends its time during the
   * restore, and if it is busy the time arrives late.
   */
  private static void assertClock(GuestShell shell, Duration took) throws Exception {
    long before = Instant.now().getEpochSecond();
    long inside = Long.parseLong(shell.run("date +%s"));
    long after = Instant.now().getEpochSecond();
    assertTrue(
        before - 2 - took.toSeconds() <= inside && inside <= after + 2,
        "clock is off: " + inside + " between " + before + " and " + after + ", took " + took);
  }

  @Test
  void theGuestCanRebootAfterARestore() throws Exception {
    Sandbox sandbox = ground.create();
    GuestShell shell = ground.shell(sandbox.id());
    shell.run("echo kept > /root/file; echo lost > /tmp/file; sync");
    String bootId = shell.run("cat /proc/sys/kernel/random/boot_id");
    shell.run("(sleep 1; reboot -f) > /dev/null 2>&1 &");
    long end = System.nanoTime() + 120_000_000_000L;
    String now = bootId;
    while (now.equals(bootId)) {
      assertTrue(System.nanoTime() < end, "the guest did not come back");
      Thread.sleep(500);
      try {
        GuestShell.Result id =
            ground.shell(sandbox.id()).execute("cat /proc/sys/kernel/random/boot_id");
        // The output of a guest that is shutting down may be a partial id.
        String said = id.stdout().strip();
        now = id.exitCode() == 0 && said.length() == bootId.length() ? said : bootId;
      } catch (java.io.IOException notYet) {
        // The guest is still booting.
      }
    }
    assertEquals("kept", shell.run("cat /root/file"));
    assertNotEquals(0, shell.execute("cat /tmp/file").exitCode());
    // A rebooted machine can be captured and rolled back.
    shell.run("echo again > /tmp/file");
    ground.engine().snapshots().create(sandbox.id(), "rebooted");
    shell.run("rm /tmp/file");
    ground.engine().sandboxes().rollback(sandbox.id(), "rebooted");
    assertEquals("again", ground.shell(sandbox.id()).run("cat /tmp/file"));
  }

  @Test
  void twoSandboxesAtOnceDoNotSeeEachOther() throws Exception {
    Sandbox one = ground.create();
    Sandbox two = ground.create();
    ground.shell(one.id()).run("echo one > /tmp/who");
    ground.shell(two.id()).run("echo two > /tmp/who");
    ground.engine().snapshots().create(one.id(), null);
    assertEquals("one", ground.shell(one.id()).run("cat /tmp/who"));
    assertEquals("two", ground.shell(two.id()).run("cat /tmp/who"));
  }

  @Test
  void forkAnswersEachChild() {
    Sandbox sandbox = ground.create();
    List<ForkResult> children =
        ground.engine().sandboxes().fork(sandbox.id(), new CloneRequest(2, null, null));
    assertEquals(2, children.stream().filter(ForkResult.Made.class::isInstance).count());
  }

  @Test
  void aDyingMachineIsNoticedAtOnceAndItsSandboxCanBeRolledBack() throws Exception {
    Sandbox sandbox = ground.create();
    ground.shell(sandbox.id()).run("echo before > /tmp/file");
    ground.engine().snapshots().create(sandbox.id(), "before");
    ProcessHandle.of(Objects.requireNonNull(sandbox.hypervisorPid()))
        .orElseThrow()
        .destroyForcibly();
    long end = System.nanoTime() + 60_000_000_000L;
    while (ground.engine().sandboxes().get(sandbox.id()).state() != Sandbox.State.FAILED) {
      assertTrue(System.nanoTime() < end, "nobody noticed");
      Thread.sleep(5);
    }
    RametException refused =
        assertThrows(
            RametException.class,
            () -> ground.engine().snapshots().create(sandbox.id(), "too-late"));
    assertEquals(ErrorCode.CONFLICT, refused.code());
    ground.engine().sandboxes().rollback(sandbox.id(), "before");
    assertEquals("before", ground.shell(sandbox.id()).run("cat /tmp/file"));
  }

  @Test
  void aDeletedSnapshotStaysUntilItsLastUserIsGone() throws Exception {
    Sandbox sandbox = ground.create();
    Snapshot snapshot = ground.engine().snapshots().create(sandbox.id(), "base");
    Sandbox child = ground.create("base");
    RametException refused =
        assertThrows(RametException.class, () -> ground.engine().snapshots().delete("base", true));
    assertEquals(ErrorCode.CONFLICT, refused.code());
    assertTrue(String.valueOf(refused.getMessage()).contains(child.id()));
    ground.engine().snapshots().delete("base", false);
    assertThrows(RametException.class, () -> ground.engine().snapshots().get("base"));
    Path directory = ground.root().resolve("snapshots").resolve(snapshot.id());
    assertTrue(Files.exists(directory), "its user still rests on it");
    assertEquals(
        memoryChoice(ground),
        Objects.requireNonNull(ground.engine().snapshots().create(child.id(), null).capture())
            .mode());
    ground.engine().sandboxes().kill(child.id());
    assertFalse(Files.exists(directory));
  }

  @Test
  void aSandboxEndsByItself() throws Exception {
    Sandbox sandbox = ground.create();
    ground.engine().sandboxes().setEnd(sandbox.id(), Instant.now().plusSeconds(1));
    long end = System.nanoTime() + 10_000_000_000L;
    while (!ground.engine().sandboxes().list().isEmpty()) {
      assertTrue(System.nanoTime() < end, "it did not end");
      Thread.sleep(50);
    }
    assertEquals(List.of(), ground.machines());
  }
}
