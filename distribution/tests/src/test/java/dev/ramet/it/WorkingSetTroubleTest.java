// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.snapshots.Snapshot;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Checks that damaged and unfinished records of first pages do no harm. */
final class WorkingSetTroubleTest extends WorkingSetGround {
  @Test
  void aDamagedFileHarmsNothingAndIsRecordedAnew() throws Exception {
    Snapshot snapshot = snapshot();
    record(snapshot);
    Path file = file(snapshot.id());
    byte[] good = Files.readAllBytes(file);
    byte[] flipped = good.clone();
    flipped[flipped.length / 2] ^= 1;
    List<byte[]> damaged =
        List.of(new byte[0], flipped, java.util.Arrays.copyOf(good, good.length - 3));
    for (byte[] content : damaged) {
      Files.write(file, content);
      double ignored = outcomes("ignored");
      record(snapshot);
      assertTrue(outcomes("ignored") > ignored);
      assertNothingFound();
    }
    Files.delete(file);
    Files.createDirectory(file);
    double failed = outcomes("failed");
    Sandbox sandbox = ground.create(snapshot.id());
    await("a directory cannot be replaced by a file", () -> outcomes("failed") > failed);
    assertEquals("3000000", ground.shell(sandbox.id()).run("wc -c < /tmp/file"));
    Files.delete(file);
    assertNothingFound();
  }

  /** A machine that is killed or captured too early is not recorded; the next restore is. */
  @Test
  void aMachineThatEndsOrIsCapturedEarlyIsNotLookedAt() throws Exception {
    Snapshot snapshot = snapshot();
    Sandbox killed = ground.create(snapshot.id());
    ground.engine().sandboxes().kill(killed.id());
    Thread.sleep(SOON.toMillis() + 1000);
    assertFalse(Files.exists(file(snapshot.id())));

    Sandbox captured = ground.create(snapshot.id());
    Snapshot next = ground.engine().snapshots().create(captured.id(), null);
    Thread.sleep(SOON.toMillis() + 1000);
    assertFalse(Files.exists(file(snapshot.id())), "a comparison has read all of its memory");
    assertFalse(Files.exists(file(next.id())));
    record(snapshot);
  }

  /** An unfinished file left by a host that died is replaced. */
  @Test
  void aHalfWrittenFileIsATemporaryOne() throws Exception {
    Snapshot snapshot = snapshot();
    Path half = file(snapshot.id()).resolveSibling(".working-set.new");
    Files.writeString(half, "half of it");
    assertNothingFound();
    record(snapshot);
    assertFalse(Files.exists(half));
  }
}
