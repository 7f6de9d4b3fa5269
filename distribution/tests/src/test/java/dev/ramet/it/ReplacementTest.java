// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static dev.ramet.it.CapturedMachine.replaced;
import static dev.ramet.it.CapturedMachine.report;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.snapshots.Snapshot;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests snapshots that replace an older one: how much they write, and their content. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ReplacementTest {
  private static final String TRACKING = "write-tracking";
  private static final long MIB = 1 << 20;

  @AutoClose @RegisterExtension private final CapturedMachine machine = CapturedMachine.make();

  private final Ground ground = machine.ground();

  private static long allocatedBytes(Path file) throws IOException {
    Process stat = new ProcessBuilder("stat", "-c", "%b", file.toString()).start();
    String blocks =
        new String(stat.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
    return 512 * Long.parseLong(blocks);
  }

  /**
   * Returns the bytes this process has written, including copies within the kernel
   * (proc_pid_io(5)).
   */
  private static long written() throws IOException {
    return Files.readAllLines(Path.of("/proc/self/io")).stream()
        .filter(line -> line.startsWith("wchar: "))
        .mapToLong(line -> Long.parseLong(line.substring(7)))
        .sum();
  }

  @Test
  void whatChangedIsWrittenIntoTheVolumeThatIsGivenUp() throws Exception {
    String start = machine.write("start");
    final Snapshot first = machine.snapshot();
    Snapshot old = machine.snapshot();
    String hash = machine.write("file");
    final Object volume = Files.getAttribute(machine.image(old), "unix:ino");
    long before = written();
    Snapshot made = machine.replacing(old);
    final long inPlace = written() - before;
    assertTrue(replaced(made).inPlace(), replaced(made).toString());
    assertEquals(old.id(), replaced(made).snapshotId());
    assertEquals(volume, Files.getAttribute(machine.image(made), "unix:ino"), "the same file");
    machine.assertGone(old);

    before = written();
    Snapshot copied = machine.snapshot();
    final long byCopy = written() - before;
    assertEquals(TRACKING, report(copied).mode(), report(copied).modeReason());
    assertTrue(report(copied).modeReason().contains(made.id()), "tracking goes on from it");
    long image = allocatedBytes(machine.image(made));
    assertTrue(image > 32 * MIB, "something to spare: " + image);
    long changed = report(made).memoryBytesWritten();
    assertTrue(
        byCopy - inPlace > image - changed - 4 * MIB, byCopy + " " + inPlace + " of " + image);
    assertTrue(changed < 12 * MIB, "what changed: " + changed);

    assertEquals(hash, machine.restored(made, "file"));
    assertEquals(start, machine.restored(first, "start"));
    String next = machine.write("file");
    Snapshot again = machine.replacing(copied);
    assertTrue(replaced(again).inPlace(), replaced(again).toString());
    assertEquals(next, machine.restored(again, "file"));
    assertEquals(hash, machine.restored(made, "file"));
    ground.assertWell();
  }

  /** Tracking is lost when the old snapshot is already withdrawn: the new one is still complete. */
  @Test
  void aCaptureThatIsTakenAgainInAnotherModeIsRebuilt() throws Exception {
    machine.snapshot();
    Snapshot old = machine.snapshot();
    String hash = machine.write("file");
    boolean[] lost = {false};
    ground
        .steps()
        .doAt(
            "snapshot.select",
            () -> {
              if (!lost[0]) {
                lost[0] = true;
                throw new RametException(ErrorCode.UNSUPPORTED, "tracking lost: told so");
              }
            });
    Snapshot made = machine.replacing(old);
    ground.steps().reset();
    assertEquals("incremental", report(made).mode());
    machine.assertRebuilt("does not build on", old, made);
    assertEquals(hash, machine.restored(made, "file"));
  }

  @Test
  void byDefaultTheOldOneGoesWhenTheNewOneIsReady() throws Exception {
    machine.reopen("REBUILD");
    try {
      machine.snapshot();
      Snapshot old = machine.snapshot();
      String hash = machine.write("file");
      ground
          .steps()
          .doAt(
              "snapshot.publish",
              () -> assertEquals(old.id(), ground.engine().snapshots().get(old.id()).id()));
      Snapshot made = machine.replacing(old);
      ground.steps().reset();
      machine.assertRebuilt("is REBUILD", old, made);
      assertEquals(hash, machine.restored(made, "file"));

      ground.steps().breakAt("snapshot.seal", 0);
      assertThrows(StepRecorder.Broken.class, () -> machine.replacing(made));
      ground.steps().reset();
      assertEquals(hash, machine.restored(made, "file"), "a failure gives nothing up");
    } finally {
      machine.reopen("IN_PLACE");
    }
  }
}
