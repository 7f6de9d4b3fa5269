// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.snapshots.Snapshot;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks that no capture lacks anything after tracking was lost or a capture failed. */
final class TrackingFailuresTest extends TrackingGround {
  @Test
  void aDeletedPreviousCaptureMeansOneCaptureOnTheRestoreImage() throws Exception {
    Snapshot first = snapshot();
    write("file");
    Snapshot second = snapshot();
    assertFollows(first, second);
    ground.engine().snapshots().delete(second.id(), false);
    String hash = write("file");
    Snapshot third = snapshot();
    assertMode(
        "incremental", TRACKING + ": the previous capture (" + second.id() + ") is gone; ", third);
    assertTrue(report(third).modeReason().contains("incremental: "), report(third).modeReason());
    assertEquals(hash, restored(third, "file"));
    Snapshot fourth = snapshot();
    assertMode(TRACKING, "restored from", fourth);
    hash = write("file");
    Snapshot fifth = snapshot();
    assertFollows(fourth, fifth);
    assertEquals(hash, restored(fifth, "file"));
  }

  @Test
  void trackingThatIsLostInsideThePauseMeansTheSameCaptureInTheNextMode() throws Exception {
    Snapshot first = snapshot();
    String hash = write("file");
    AtomicBoolean lost = new AtomicBoolean();
    ground
        .steps()
        .doAt(
            "snapshot.select",
            () -> {
              if (!lost.getAndSet(true)) {
                throw new RametException(ErrorCode.UNSUPPORTED, "tracking lost: told so");
              }
            });
    Snapshot second = snapshot();
    ground.steps().reset();
    assertMode("incremental", TRACKING + ": tracking lost: told so; ", second);
    assertEquals(hash, restored(second, "file"));
    assertEquals(2, ground.engine().snapshots().list(id).size(), "nothing of the first attempt");
    Snapshot third = snapshot();
    assertMode(TRACKING, "restored from", third);
    assertFollows(third, snapshot());
    assertNotEquals(first.id(), third.id());
  }

  /** Changes that the tracker has already discarded must be found again. */
  @ParameterizedTest
  @ValueSource(strings = {"snapshot.resume", "snapshot.write", "snapshot.seal", "snapshot.publish"})
  void aCaptureThatFailsAfterItWasCommittedLosesNothing(String step) throws Exception {
    snapshot();
    write("file");
    ground.steps().breakAt(step, 0);
    assertThrows(StepRecorder.Broken.class, this::snapshot);
    ground.steps().reset();
    String hash = hash(shell, "file");
    Snapshot next = snapshot();
    assertMode(TRACKING, "restored from", next);
    assertMode(TRACKING, "failed after its pages were read; ", next);
    assertEquals(hash, restored(next, "file"));
    assertFollows(next, snapshot());
  }

  @ParameterizedTest
  @ValueSource(strings = {"snapshot.memory", "snapshot.select", "snapshot.read", "snapshot.track"})
  void aCaptureThatFailsBeforeThatIsAsIfItHadNotBeen(String step) throws Exception {
    Snapshot first = snapshot();
    write("file");
    ground.steps().breakAt(step, 0);
    assertThrows(StepRecorder.Broken.class, this::snapshot);
    ground.steps().reset();
    String hash = hash(shell, "file");
    Snapshot next = snapshot();
    assertFollows(first, next);
    assertEquals(hash, restored(next, "file"));
  }

  @Test
  void anotherHostBeginsToTrackAnew() throws Exception {
    Snapshot last = snapshot();
    write("file");
    ground.closeEngine();
    ground.openEngine();
    shell = ground.shell(id);
    String hash = write("file");
    Snapshot next = snapshot();
    assertMode(TRACKING, "restored from", next);
    assertMode(TRACKING, "restarted after the previous capture, " + last.id() + "; ", next);
    assertEquals(hash, restored(next, "file"));
    assertFollows(next, snapshot());
  }
}
