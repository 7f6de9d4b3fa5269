// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.snapshots.NewSnapshot;
import dev.ramet.engine.snapshots.Snapshot;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.time.Duration;
import java.util.List;
import java.util.SortedSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests snapshots whose caller does not wait until they are written. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class WritingTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private Ground ground;
  private String id = "";
  private CountDownLatch release = new CountDownLatch(0);

  @BeforeAll
  void makeGround() throws Exception {
    ground = Ground.make();
  }

  @AfterAll
  void clear() throws Exception {
    ground.close();
  }

  @BeforeEach
  void begin() {
    id = ground.create().id();
  }

  @AfterEach
  void end() {
    release.countDown();
    ground.clear();
  }

  private Snapshot begin(String name) {
    return ground
        .engine()
        .snapshots()
        .create(NewSnapshot.named(id, name).describedAs("why").withoutWaiting());
  }

  private void holdBefore(String step) {
    CountDownLatch latch = new CountDownLatch(1);
    release = latch;
    ground
        .steps()
        .doAt(
            step,
            () -> {
              try {
                assertTrue(latch.await(PATIENCE.toSeconds(), TimeUnit.SECONDS));
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
  }

  private static void refused(ErrorCode code, Runnable operation) {
    assertEquals(code, assertThrows(RametException.class, operation::run).code());
  }

  @Test
  void theGuestRunsOnWhileItIsWrittenAndNobodyUsesItBeforeItIsThere() throws Exception {
    GuestShell shell = ground.shell(id);
    shell.run("echo then > /tmp/file");
    holdBefore("snapshot.write");
    Snapshot writing = begin("late");
    assertEquals(Snapshot.Status.WRITING, writing.status());
    assertNull(writing.capture());
    assertEquals("why", writing.description());
    shell.run("echo now > /tmp/file");

    assertEquals(Snapshot.Status.WRITING, ground.engine().snapshots().get("late").status());
    assertEquals(
        List.of(Snapshot.Status.WRITING),
        ground.engine().snapshots().list(id).stream().map(Snapshot::status).toList());
    refused(ErrorCode.CONFLICT, () -> ground.create("late"));
    refused(ErrorCode.CONFLICT, () -> ground.engine().sandboxes().rollback(id, "late"));
    refused(ErrorCode.CONFLICT, () -> ground.engine().snapshots().delete("late", false));
    refused(ErrorCode.CONFLICT, () -> begin("another"));
    refused(
        ErrorCode.DEADLINE_EXCEEDED,
        () -> ground.engine().snapshots().await("late", Duration.ofMillis(20)));
    String other = ground.create().id();
    // Another version of the name has the tag until the one being written is ready.
    ground.steps().reset();
    Snapshot sooner = ground.engine().snapshots().create(other, "late");
    assertEquals(List.of("default"), sooner.tags());
    assertEquals(sooner.id(), ground.engine().snapshots().get("late").id());

    CompletableFuture<Sandbox> reader =
        CompletableFuture.supplyAsync(
            () -> {
              ground.engine().snapshots().await("late", PATIENCE);
              return ground.engine().sandboxes().rollback(id, "late").sandbox();
            });
    release.countDown();
    assertEquals(id, reader.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).id());
    Snapshot ready = ground.engine().snapshots().get(writing.id());
    assertEquals(Snapshot.Status.READY, ready.status());
    assertEquals(writing.createdAt(), ready.createdAt());
    assertNotNull(ready.capture());
    assertEquals(List.of("default"), ready.tags());
    assertEquals(List.of(), ground.engine().snapshots().get(sooner.id()).tags());
    assertEquals("then", ground.shell(id).run("cat /tmp/file"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"snapshot.write", "snapshot.seal", "snapshot.publish"})
  void whatCannotBeWrittenIsToldAndLeavesNothing(String step) throws Exception {
    SortedSet<String> before = ground.files();
    ground.steps().breakAt(step, 0);
    Snapshot writing = begin("doomed");
    ground.engine().snapshots().await(writing.id(), PATIENCE);
    ground.steps().reset();
    Snapshot failed = ground.engine().snapshots().get("doomed");
    assertEquals(Snapshot.Status.FAILED, failed.status());
    assertTrue(String.valueOf(failed.statusDetail()).contains(step), failed.statusDetail());
    assertEquals(before, ground.files());
    refused(ErrorCode.CONFLICT, () -> ground.create("doomed"));

    Snapshot again = ground.engine().snapshots().create(id, "doomed");
    assertEquals(Snapshot.Status.READY, ground.engine().snapshots().get("doomed").status());
    ground.engine().snapshots().delete("doomed", false);
    assertEquals(List.of(failed.id()), ids());
    ground.engine().snapshots().delete(failed.id(), false);
    assertEquals(List.of(), ids());
    refused(ErrorCode.NOT_FOUND, () -> ground.engine().snapshots().get(failed.id()));
    refused(ErrorCode.NOT_FOUND, () -> ground.engine().snapshots().get(again.id()));
  }

  private List<String> ids() {
    return ground.engine().snapshots().list(id).stream().map(Snapshot::id).toList();
  }

  @ParameterizedTest
  @ValueSource(strings = {"snapshot.memory", "snapshot.read", "snapshot.resume"})
  void whatFailsBeforeTheGuestRunsOnIsTheCallersError(String step) throws Exception {
    SortedSet<String> before = ground.files();
    ground.steps().breakAt(step, 0);
    assertThrows(RuntimeException.class, () -> begin("doomed"));
    ground.steps().reset();
    assertEquals(List.of(), ids());
    assertEquals(before, ground.files());
    refused(
        ErrorCode.INVALID_ARGUMENT,
        () ->
            ground
                .engine()
                .snapshots()
                .create(NewSnapshot.named(id, "x").by("telepathy").withoutWaiting()));
    Snapshot next = begin("doomed");
    ground.engine().snapshots().await(next.id(), PATIENCE);
    assertEquals(Snapshot.Status.READY, ground.engine().snapshots().get(next.id()).status());
  }

  /** The caller wants the sandbox gone: the kill waits for the writing, and the snapshot stays. */
  @Test
  void aSandboxMayBeKilledMeanwhile() throws Exception {
    holdBefore("snapshot.seal");
    Snapshot writing = begin("last");
    CompletableFuture<Void> kill =
        CompletableFuture.runAsync(() -> ground.engine().sandboxes().kill(id));
    release.countDown();
    kill.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    assertEquals(Snapshot.Status.READY, ground.engine().snapshots().get(writing.id()).status());
    ground.shell(ground.create("last").id()).run("true");
  }
}
