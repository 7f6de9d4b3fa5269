// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.snapshots.CaptureReport;
import dev.ramet.engine.snapshots.Snapshot;
import dev.ramet.engine.snapshots.Snapshots;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Tests reading a machine's memory while it runs: pre-copy, and snapshots of unchanged machines.
 * Every capture is compared with all of the paused machine's memory.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class LiveCaptureTest {
  private static final long MIB = 1 << 20;

  private static final String BEGINNING = "head -c 4096 /tmp/file | sha256sum";

  private Ground ground;
  private String id = "";
  private GuestShell shell;

  @BeforeAll
  void makeGround() throws Exception {
    ground = Ground.make();
    ground.requireTracking();
  }

  @AfterAll
  void clear() throws Exception {
    ground.close();
  }

  @BeforeEach
  void begin() {
    Sandbox sandbox = ground.create();
    id = sandbox.id();
    shell = ground.shell(id);
  }

  @AfterEach
  void end() {
    ground.steps().reset();
    ground.engine().sandboxes().list().forEach(s -> ground.engine().sandboxes().kill(s.id()));
    snapshots().list(null).forEach(s -> snapshots().delete(s.id(), false));
  }

  private Snapshots snapshots() {
    return ground.engine().snapshots();
  }

  private Snapshot snapshot() {
    return snapshots().create(id, null);
  }

  private static CaptureReport report(Snapshot snapshot) {
    return Objects.requireNonNull(snapshot.capture());
  }

  /** Writes this many MiB of random bytes to memory; returns their hash. */
  private String fill(int megabytes) throws IOException {
    return shell.run(
        "head -c " + megabytes * MIB + " /dev/urandom > /tmp/file; sha256sum < /tmp/file");
  }

  private static void assertMostlyBefore(Snapshot snapshot, long bytes) {
    CaptureReport report = report(snapshot);
    assertTrue(report.precopyRounds() > 0, report.toString());
    assertTrue(report.precopyBytes() >= bytes, report.toString());
    // The rest was equal to the base.
    assertTrue(
        report.memoryBytesWritten() + report.memoryBytesHoles() <= report.memoryBytesSelected(),
        report.toString());
    long inPause = report.memoryBytesSelected() - report.precopyBytes();
    assertTrue(inPause < bytes / 2, inPause + " in the pause: " + report);
  }

  @Test
  void mostIsCopiedBeforeThePause() throws Exception {
    String first = fill(40);
    Snapshot since = snapshot();
    assertMostlyBefore(since, 40 * MIB);
    String second = fill(24);
    Snapshot next = snapshot();
    assertMostlyBefore(next, 24 * MIB);
    assertEquals(first, ground.restored(since.id(), "sha256sum < /tmp/file"));
    assertEquals(second, ground.restored(next.id(), "sha256sum < /tmp/file"));
    Snapshot idle = snapshot();
    assertEquals(0, report(idle).precopyRounds(), report(idle).toString());
  }

  /**
   * The guest rewrites the same pages between two rounds, and between the last round and the pause.
   */
  @Test
  void whatIsWrittenAgainMeanwhileIsCapturedAsItIsInThePause() throws Exception {
    for (int generation = 0; generation < 4; generation++) {
      fill(16);
      List<String> between = new ArrayList<>();
      ground
          .steps()
          .doAt(
              "snapshot.precopy",
              () -> {
                if (between.size() < 3) {
                  between.add(overwrite(3_000_000));
                }
              });
      AtomicReference<String> last = new AtomicReference<>();
      ground.steps().doAt("snapshot.pause", () -> last.set(overwrite(500_000)));
      Snapshot snapshot = snapshot();
      ground.steps().resetWhenDone();
      assertMostlyBefore(snapshot, 16 * MIB);
      CaptureReport report = report(snapshot);
      assertTrue(report.precopyRounds() >= 2, report.toString());
      // The first write comes before the first round, the next ones each between two rounds.
      assertTrue(between.size() >= 2, between.toString());
      between.add(last.get());
      assertEquals(between.size(), Set.copyOf(between).size(), "each write changes something");
      assertEquals(last.get(), shell.run(BEGINNING), "nothing is written after the pause");
      String hash = shell.run("sha256sum < /tmp/file");
      assertEquals(
          hash,
          ground.restored(snapshot.id(), "sha256sum < /tmp/file"),
          "generation " + generation);
    }
  }

  /** Overwrites the file's first bytes; returns the hash of its beginning. */
  private String overwrite(int bytes) {
    try {
      return shell.run(
          "head -c %d /dev/urandom | dd of=/tmp/file conv=notrunc 2>/dev/null; ".formatted(bytes)
              + BEGINNING);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** With a guest that never stops writing, pre-copy ends after a limited number of rounds. */
  @Test
  void aBusyGuest() throws Exception {
    fill(32);
    shell.run(
        "(while :; do dd if=/dev/urandom of=/tmp/file bs=64k count=128 conv=notrunc; done)"
            + " >/dev/null 2>&1 </dev/null &");
    for (int i = 0; i < 3; i++) {
      CaptureReport report = report(snapshot());
      assertTrue(report.precopyRounds() <= 5, report.toString());
    }
    Snapshot last = snapshot();
    assertEquals("32M", ground.restored(last.id(), "du -m /tmp/file | cut -f 1 | sed s/$/M/"));
  }

  @Test
  void aCaptureThatFailsAfterARoundLosesNothing() throws Exception {
    snapshot();
    for (String step : new String[] {"snapshot.pause", "snapshot.read", "snapshot.write"}) {
      fill(12);
      ground.steps().breakAt(step, 0);
      assertThrows(StepRecorder.Broken.class, this::snapshot);
      ground.steps().reset();
      String hash = shell.run("sha256sum < /tmp/file");
      assertEquals(hash, ground.restored(snapshot().id(), "sha256sum < /tmp/file"), step);
    }
  }

  @Test
  void aMachineThatDidNothingKeepsItsSnapshot() throws Exception {
    assertEquals(Optional.empty(), snapshots().findUnchanged(id), "there is none yet");
    // An idle machine still updates its clock, and so changes.
    freeze();
    Snapshot taken = snapshot();
    Snapshot same = snapshots().findUnchanged(id).orElseThrow();
    assertEquals(taken.id(), same.id());
    // The best of several: a busy host can delay each.
    long nanos = Long.MAX_VALUE;
    for (int i = 0; i < 10 && nanos >= 100_000_000; i++) {
      long begin = System.nanoTime();
      assertEquals(taken.id(), snapshots().findUnchanged(id).orElseThrow().id());
      nanos = Math.min(nanos, System.nanoTime() - begin);
    }
    assertTrue(nanos < 100_000_000, nanos + " ns");
    assertEquals(1, snapshots().list(id).size());
    Snapshot next = snapshot();
    assertEquals(next.id(), snapshots().findUnchanged(id).orElseThrow().id());
    snapshots().delete(next.id(), false);
    assertEquals(Optional.empty(), snapshots().findUnchanged(id), "it was deleted");
  }

  /** Halts the machine's only processor for good. */
  private void freeze() throws Exception {
    shell.run("(sleep 1; halt -f) >/dev/null 2>&1 </dev/null &");
    Path console = ground.engine().sandboxes().console(id);
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    // The kernel prints this whatever its log level.
    while (!Files.readString(console, StandardCharsets.ISO_8859_1).contains("System halted")) {
      assertTrue(System.nanoTime() < end, "the machine does not halt");
      Thread.sleep(50);
    }
    // It stops its devices after that.
    ProcessHandle machine = ProcessHandle.of(ground.machines().get(0)).orElseThrow();
    Optional<Duration> before = Optional.empty();
    Optional<Duration> used = machine.info().totalCpuDuration();
    while (!used.equals(before)) {
      assertTrue(System.nanoTime() < end, "the machine goes on");
      Thread.sleep(500);
      before = used;
      used = machine.info().totalCpuDuration();
    }
  }

  @Test
  void aMachineThatWroteDoesNot() throws Exception {
    snapshot();
    shell.run("echo x > /tmp/x");
    assertEquals(Optional.empty(), snapshots().findUnchanged(id));
    snapshot();
    shell.run("echo x > /root/x; sync");
    assertEquals(Optional.empty(), snapshots().findUnchanged(id));
    String hash = fill(4);
    Snapshot after = snapshot();
    assertEquals(
        hash, ground.restored(after.id(), "sha256sum < /tmp/file"), "looking changes nothing");
  }
}
