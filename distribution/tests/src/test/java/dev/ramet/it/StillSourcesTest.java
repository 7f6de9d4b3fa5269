// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.sandboxes.CloneReport;
import dev.ramet.engine.sandboxes.CloneRequest;
import dev.ramet.engine.sandboxes.ForkResult;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.sandboxes.Sandboxes;
import dev.ramet.engine.snapshots.NewSnapshot;
import dev.ramet.engine.snapshots.Snapshot;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;

/**
 * Tests snapshots, clones and forks of sources that do not run: paused sandboxes, and disks whose
 * guest has frozen its files.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class StillSourcesTest {
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
  void removeAll() {
    ground.steps().reset();
    sandboxes().list().forEach(sandbox -> sandboxes().kill(sandbox.id()));
    ground
        .engine()
        .snapshots()
        .list(null)
        .forEach(s -> ground.engine().snapshots().delete(s.id(), false));
  }

  private Sandboxes sandboxes() {
    return ground.engine().sandboxes();
  }

  private Snapshot diskOf(String id) {
    return ground.engine().snapshots().create(NewSnapshot.named(id, null).withoutMemory());
  }

  private String pausedWithMemory() throws Exception {
    String id = ground.create().id();
    ground.shell(id).run("echo memory > /tmp/file; echo disk > /root/file");
    sandboxes().pause(id, true);
    return id;
  }

  private void assertHasBoth(String id) throws Exception {
    assertEquals("memory disk", ground.shell(id).run("echo $(cat /tmp/file /root/file)"));
  }

  @Test
  void aPausedSandboxIsSnapshotWithItsMemory() throws Exception {
    String id = pausedWithMemory();
    Snapshot made = ground.engine().snapshots().create(id, "of-a-paused-one");
    assertEquals(Snapshot.Status.READY, made.status());
    assertNotNull(made.capture(), "how its memory was captured is known");
    assertEquals(Sandbox.State.PAUSED, sandboxes().get(id).state());
    assertEquals(List.of(), ground.machines());

    ground.closeEngine();
    ground.openEngine();
    assertHasBoth(ground.create("of-a-paused-one").id());
    sandboxes().resume(id, FOR_EVER, true);
    ground.shell(id).run("rm /tmp/file /root/file");
    sandboxes().rollback(id, "of-a-paused-one");
    assertHasBoth(id);
    sandboxes().kill(id);
    assertHasBoth(ground.create("of-a-paused-one").id());
  }

  /** A paused sandbox cannot change, so one snapshot of a pause is enough. */
  @Test
  void aPausedSandboxIsUnchangedUntilItIsResumed() throws Exception {
    String id = ground.create().id();
    ground.engine().snapshots().create(id, "while-it-ran");
    sandboxes().pause(id, true);
    assertEquals(Optional.empty(), unchanged(id), "what was taken before the pause is older");
    Snapshot made = ground.engine().snapshots().create(id, null);
    assertEquals(made.id(), unchanged(id).orElseThrow().id());
    ground.closeEngine();
    ground.openEngine();
    assertEquals(made.id(), unchanged(id).orElseThrow().id(), "another host knows it too");
    ground.engine().snapshots().delete(made.id(), false);
    assertEquals(Optional.empty(), unchanged(id), "it was deleted");
    made = ground.engine().snapshots().create(id, null);
    assertEquals(made.id(), unchanged(id).orElseThrow().id());

    sandboxes().resume(id, FOR_EVER, true);
    assertEquals(Optional.empty(), unchanged(id), "it runs");
    sandboxes().pause(id, true);
    assertEquals(Optional.empty(), unchanged(id), "another pause");
    Snapshot second = ground.engine().snapshots().create(id, null);
    assertEquals(second.id(), unchanged(id).orElseThrow().id());
    sandboxes().resume(id, FOR_EVER, true);
    sandboxes().pause(id, false);
    assertEquals(Optional.empty(), unchanged(id), "without memory");
    Snapshot disk = ground.engine().snapshots().create(id, null);
    assertEquals(disk.id(), unchanged(id).orElseThrow().id());
    assertNull(disk.capture());
  }

  private Optional<Snapshot> unchanged(String id) {
    return ground.engine().snapshots().findUnchanged(id);
  }

  @Test
  void clonesOfAPausedSandboxOutliveIt() throws Exception {
    String id = pausedWithMemory();
    CloneReport clones = sandboxes().clone(id, new CloneRequest(2, 2, null));
    assertEquals(Sandbox.State.PAUSED, sandboxes().get(id).state());
    sandboxes().kill(id);
    for (Sandbox clone : clones.sandboxes()) {
      assertEquals(id, clone.parentId());
      assertHasBoth(clone.id());
    }
    String first = clones.sandboxes().get(0).id();
    ground.shell(first).run("echo other > /tmp/file");
    ground.engine().snapshots().create(first, "of-a-clone");
    assertEquals("other", ground.shell(ground.create("of-a-clone").id()).run("cat /tmp/file"));
  }

  @Test
  void aSandboxThatWasPausedWithoutMemoryIsForkedFromItsDisk() throws Exception {
    String id = ground.create().id();
    ground.shell(id).run("echo memory > /tmp/file; echo disk > /root/file");
    sandboxes().pause(id, false);
    ForkResult result = sandboxes().fork(id, new CloneRequest(1, 1, null)).get(0);
    Sandbox fork = ((ForkResult.Made) result).sandbox();
    assertEquals("disk", ground.shell(fork.id()).run("cat /root/file; [ ! -e /tmp/file ]"));
    assertNull(sandboxes().clone(id, new CloneRequest(1, 1, null)).capture());
    Snapshot disk = diskOf(id);
    assertNull(disk.capture());
    assertEquals("disk", ground.shell(ground.create(disk.id()).id()).run("cat /root/file"));
  }

  @Test
  void whatOnlyARunningMachineCanGiveIsRefused() throws Exception {
    String id = pausedWithMemory();
    SortedSet<String> files = ground.files();
    List<NewSnapshot> refused =
        List.of(
            NewSnapshot.named(id, null).by("full"),
            NewSnapshot.named(id, null).verified(),
            NewSnapshot.named(id, null).withoutMemory());
    for (NewSnapshot request : refused) {
      RametException e =
          assertThrows(RametException.class, () -> ground.engine().snapshots().create(request));
      assertEquals(ErrorCode.CONFLICT, e.code());
      assertNotNull(e.remedy());
    }
    assertEquals(files, ground.files());
  }

  /**
   * Each line is written out before the next, so the snapshot must contain the beginning of both
   * files.
   */
  @Test
  void theDiskOfABusyGuestIsOfOneInstant() throws Exception {
    String id = ground.create().id();
    ground
        .shell(id)
        .run(
            "(i=0; while :; do i=$((i+1)); echo $i >> /root/a; echo $i >> /root/b; done)"
                + " >/dev/null 2>&1 & echo $! > /tmp/writer");
    Snapshot disk = diskOf(id);
    assertNull(disk.capture());
    int before = Integer.parseInt(ground.shell(id).run("tail -n 1 /root/b"));
    GuestShell copy = ground.shell(ground.create(disk.id()).id());
    assertEquals(
        "ok",
        copy.run(
            "a=$(wc -l < /root/a); b=$(wc -l < /root/b); d=$((a-b));"
                + " [ $(tail -n 1 /root/a) = $a ] && [ $d = 0 -o $d = 1 ] && echo ok"));
    assertFalse(
        copy.run("dmesg").contains("recovery complete"), "its file system was in order already");
    assertTrue(
        Integer.parseInt(ground.shell(id).run("sleep 1; tail -n 1 /root/b")) > before,
        "the source writes on");
  }

  @TestFactory
  Stream<DynamicTest> aBrokenStepOfADiskSnapshotLeavesNothingAndLetsTheGuestWrite()
      throws Exception {
    String id = ground.create().id();
    ground.steps().reset();
    diskOf(id);
    List<String> steps = ground.steps().seen().stream().distinct().toList();
    assertTrue(steps.contains("snapshot.disk"), steps.toString());
    return steps.stream()
        .map(
            step ->
                DynamicTest.dynamicTest(
                    step,
                    () -> {
                      String sandbox = ground.create().id();
                      breakAt(step, sandbox, () -> diskOf(sandbox));
                      ground.shell(sandbox).run("echo x > /root/x && sync");
                    }));
  }

  @TestFactory
  Stream<DynamicTest> aBrokenStepOfASnapshotOfAPausedSandboxLeavesNothing() throws Exception {
    String id = pausedWithMemory();
    ground.steps().reset();
    ground.engine().snapshots().create(id, null);
    List<String> steps = ground.steps().seen().stream().distinct().toList();
    return steps.stream()
        .map(
            step ->
                DynamicTest.dynamicTest(
                    step,
                    () -> {
                      String paused = pausedWithMemory();
                      breakAt(step, paused, () -> ground.engine().snapshots().create(paused, null));
                      sandboxes().resume(paused, FOR_EVER, true);
                      assertHasBoth(paused);
                    }));
  }

  private void breakAt(String step, String id, Runnable operation) throws Exception {
    ground.steps().reset();
    SortedSet<String> files = ground.files();
    ground.steps().breakAt(step, 0);
    assertThrows(RuntimeException.class, operation::run);
    ground.steps().reset();
    assertEquals(files, ground.files());
    assertEquals(List.of(), ground.engine().snapshots().list(id));
  }
}
