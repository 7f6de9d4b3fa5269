// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static dev.ramet.it.Refusals.refused;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.sandboxes.CloneRequest;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.snapshots.Snapshot;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.SortedSet;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests a disk that is full before a snapshot starts or becomes full while its pages are written.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class FullDiskTest {
  /** The space left on the full disk, less than the test writes in memory. */
  private static final long FEW_BYTES = 3L << 20;

  @AutoClose @RegisterExtension private final StartedSandbox started = StartedSandbox.make();

  private final Ground ground = started.ground();

  @Test
  void aFullDiskIsToldAndLeavesNothingHalfMade() throws Exception {
    GuestShell shell = ground.shell(started.id());
    shell.run("head -c 30000000 /dev/urandom > /tmp/big");
    SortedSet<String> before = ground.files();
    Path filler = ground.root().resolve("filler");
    try {
      fill(filler);
      RametException e =
          refused(
              ErrorCode.NO_SPACE,
              () -> ground.engine().snapshots().create(started.id(), "too-much"));
      assertEquals(507, e.code().httpStatus());
      refused(
          ErrorCode.NO_SPACE,
          () -> ground.engine().sandboxes().clone(started.id(), new CloneRequest(2, 2, null)));
    } finally {
      Files.deleteIfExists(filler);
    }
    assertEquals(before, ground.files());
    assertEquals("start", shell.run("cat /tmp/file"));
    ground.engine().snapshots().create(started.id(), "enough");
    ground.engine().snapshots().delete("enough", false);
    shell.run("rm /tmp/big");
  }

  /**
   * The disk becomes full only when pages are written: while the machine runs, or after its pause.
   */
  @ParameterizedTest
  @ValueSource(strings = {"snapshot.precopy", "snapshot.write"})
  void aDiskThatIsFullWhenPagesAreWrittenIsTold(String step) throws Exception {
    if (step.equals("snapshot.precopy")) {
      ground.requireTracking();
    }
    GuestShell shell = ground.shell(started.id());
    String inBase = shell.run("head -c 8000000 /dev/urandom > /tmp/big; sha256sum < /tmp/big");
    Snapshot base = ground.engine().snapshots().create(started.id(), "base");
    String baseImage = digest(started.volume(base.id() + ".memory"));
    shell.run("head -c 30000000 /dev/urandom > /tmp/big");
    SortedSet<String> before = ground.files();
    Path filler = ground.root().resolve("filler");
    try {
      // Written this late, so that pre-copy cannot write it before the pause.
      ground
          .steps()
          .doAt("snapshot.pause", () -> run(shell, "head -c 20000000 /dev/urandom > /tmp/late"));
      ground.steps().doAt(step, () -> fillBut(filler, FEW_BYTES));
      RametException e =
          refused(
              ErrorCode.NO_SPACE,
              () -> ground.engine().snapshots().create(started.id(), "too-much"));
      List<String> steps = ground.steps().seen();
      assertEquals(step, steps.get(steps.size() - 1), "the step that failed: " + e);
      assertEquals(507, e.code().httpStatus());
      assertTrue(String.valueOf(e.getMessage()).contains(ground.root().toString()), e.toString());
      assertTrue(String.valueOf(e.remedy()).contains("delete snapshots"), e.toString());
    } finally {
      ground.steps().reset();
      Files.deleteIfExists(filler);
    }
    assertEquals(before, ground.files());
    ground.assertWell();
    assertEquals(
        Sandbox.State.RUNNING, ground.engine().sandboxes().get(started.id()).state(), step);
    String now = shell.run("sha256sum < /tmp/big");
    assertEquals(
        baseImage,
        digest(started.volume(base.id() + ".memory")),
        "nothing was written to the base");
    assertEquals(inBase, ground.restored("base", "sha256sum < /tmp/big"));
    // Compared with all of the machine's memory, as every capture here is.
    ground.engine().snapshots().create(started.id(), "enough");
    assertEquals(now, ground.restored("enough", "sha256sum < /tmp/big"));
    ground.engine().snapshots().delete("enough", false);
    ground.engine().snapshots().delete("base", false);
  }

  private static void run(GuestShell shell, String command) {
    try {
      shell.run(command);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String digest(Path file) throws Exception {
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    byte[] buffer = new byte[1 << 20];
    try (InputStream in = Files.newInputStream(file)) {
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        digest.update(buffer, 0, n);
      }
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  /** Fills the disk up to a few bytes; does nothing if that was already done. */
  private static void fillBut(Path file, long bytesLeft) {
    if (Files.exists(file)) {
      return;
    }
    try {
      fill(file);
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
        channel.force(true);
        channel.truncate(channel.size() - bytesLeft);
        channel.force(true);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Writes until nothing more fits, in smaller and smaller pieces. */
  private static void fill(Path file) throws IOException {
    try (OutputStream out = Files.newOutputStream(file)) {
      for (int piece = 4 << 20; piece >= 4096; piece /= 4) {
        byte[] bytes = new byte[piece];
        try {
          while (true) {
            out.write(bytes);
          }
        } catch (IOException full) {
          // Continue with the next smaller piece.
        }
      }
    }
  }
}
