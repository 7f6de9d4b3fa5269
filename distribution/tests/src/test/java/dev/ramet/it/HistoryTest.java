// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.snapshots.Snapshot;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Checks that the cost of a long history of snapshots is paid in the background while machines run,
 * and that their content is unaffected.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class HistoryTest {
  private static final int GENERATIONS = 6;
  private static final int SCATTERED_GENERATIONS = 7;

  /** Without compaction the same history ends in 1300 pieces. */
  private static final int MOST_PIECES = 1100;

  private static final long PATIENCE_NANOS = 60_000_000_000L;

  private Ground ground;

  @BeforeAll
  void makeGround() throws Exception {
    ground = Ground.make();
  }

  @AfterAll
  void clear() throws Exception {
    ground.close();
  }

  private double done(String work) {
    return ground.metric("ramet_storage_ahead_total", Map.of("work", work, "outcome", "done"));
  }

  private void awaitCopies(double atLeast) throws InterruptedException {
    long start = System.nanoTime();
    while (done("copy") < atLeast) {
      assertTrue(System.nanoTime() - start < PATIENCE_NANOS, "copies are prepared");
      Thread.sleep(20);
    }
  }

  /**
   * Overwrites scattered pages of a file in memory and of one on the disk; returns the hash of
   * both.
   */
  private static String write(GuestShell shell, int generation) throws Exception {
    return shell.run(
        ("for file in /tmp/pieces /root/pieces; do"
                + " [ -e $file ] || head -c 4194304 /dev/zero | tr '\\0' x > $file;"
                + " i=GEN; while [ $i -lt 1024 ]; do"
                + " echo GEN | dd of=$file bs=4096 seek=$i conv=notrunc 2>/dev/null;"
                + " i=$((i + 13)); done; done; sync;"
                + " cat /tmp/pieces /root/pieces | sha256sum")
            .replace("GEN", Integer.toString(generation)));
  }

  @Test
  void whatTheNextSnapshotCopiesIsMadeAheadOfIt() throws Exception {
    Sandbox sandbox = ground.create();
    GuestShell shell = ground.shell(sandbox.id());
    List<Snapshot> made = new ArrayList<>();
    List<String> hashes = new ArrayList<>();
    double copies = done("copy");
    double catchUps = done("catch-up");
    for (int generation = 1; generation <= GENERATIONS; generation++) {
      hashes.add(write(shell, generation));
      made.add(ground.engine().snapshots().create(sandbox.id(), null));
      // Each capture is compared with the machine in three cases: its prepared copy is used, the
      // copy is still being prepared, and a deletion removes the copy meanwhile.
      if (generation % 2 == 0) {
        awaitCopies(copies + 2.0 * generation / 2);
      }
    }
    assertTrue(
        done("catch-up") >= catchUps + GENERATIONS,
        "disks are brought up to date before the pause");
    Snapshot gone = made.remove(GENERATIONS - 2);
    hashes.remove(GENERATIONS - 2);
    ground.engine().snapshots().delete(gone.id(), false);
    for (int i = 0; i < made.size(); i++) {
      Sandbox back = ground.create(made.get(i).id());
      assertEquals(
          hashes.get(i),
          ground
              .shell(back.id())
              .run("echo 3 > /proc/sys/vm/drop_caches; cat /tmp/pieces /root/pieces | sha256sum"),
          "generation " + (i + 1));
      ground.engine().sandboxes().kill(back.id());
    }
    // While a copy of everything is being prepared: closing the engine does not wait for it.
    ground.engine().snapshots().create(sandbox.id(), null);
    long start = System.nanoTime();
    ground.closeEngine();
    assertTrue(System.nanoTime() - start < 5_000_000_000L, "closing does not wait for copies");
    ground.openEngine();
    for (Snapshot snapshot : made) {
      assertEquals(Snapshot.Status.READY, ground.engine().snapshots().get(snapshot.id()).status());
    }
  }

  /**
   * Writes new data and scattered pages; only the first generation also writes the whole file of
   * pieces.
   */
  private static String scatter(GuestShell shell, int generation) throws Exception {
    return shell.run(
        ("yes GEN | head -c 16777216 > /tmp/bulk;"
                + " [ -e /tmp/pieces ] || head -c 4194304 /dev/urandom > /tmp/pieces;"
                + " i=GEN; while [ $i -lt 1024 ]; do"
                + " echo GEN | dd of=/tmp/pieces bs=4096 seek=$i conv=notrunc 2>/dev/null;"
                + " i=$((i + 13)); done;"
                + " cat /tmp/pieces | sha256sum")
            .replace("GEN", Integer.toString(generation)));
  }

  /** The engine compacts by itself, in the background and within its write limit. */
  @Test
  void anImageThatLiesInManyPiecesIsLaidOutAnew() throws Exception {
    ground.requireTracking();
    Sandbox sandbox = ground.create();
    GuestShell shell = ground.shell(sandbox.id());
    double compactions = done("compaction");
    double written = compacted("written");
    double added = compacted("added");
    long captured = 0;
    String hash = "";
    String last = "";
    for (int generation = 1; generation <= SCATTERED_GENERATIONS; generation++) {
      hash = scatter(shell, generation);
      double copies = done("copy");
      Snapshot made = ground.engine().snapshots().create(sandbox.id(), null);
      last = made.id();
      captured += Objects.requireNonNull(made.capture()).memoryBytesWritten();
      // One copy of the memory image, made after its compaction, and one of the disk.
      awaitCopies(copies + 2);
    }
    assertTrue(done("compaction") - compactions >= SCATTERED_GENERATIONS / 2.0, "it is done");
    assertTrue(compacted("written") > written, "bytes are laid out anew");
    assertTrue(compacted("added") - added <= captured / 10.0, "a tenth of what captures wrote");
    int pieces = pieces(last);
    assertTrue(pieces <= MOST_PIECES, pieces + " pieces");
    Sandbox back = ground.create(last);
    assertEquals(hash, ground.shell(back.id()).run("cat /tmp/pieces | sha256sum"));
    ground.engine().sandboxes().kill(back.id());
    ground.engine().sandboxes().kill(sandbox.id());
  }

  private double compacted(String what) {
    return ground.metric("ramet_storage_compacted_bytes_total", Map.of("what", what));
  }

  /** Returns the number of extents of a snapshot's memory image, counted by filefrag(8). */
  private int pieces(String snapshot) throws Exception {
    Path image =
        Trees.below(ground.root().resolve("volumes")).stream()
            .filter(path -> path.endsWith(snapshot + ".memory") && Files.isRegularFile(path))
            .findFirst()
            .orElseThrow();
    Process count =
        new ProcessBuilder("filefrag", "-s", image.toString()).redirectErrorStream(true).start();
    String said = new String(count.getInputStream().readAllBytes(), UTF_8);
    assertEquals(0, count.waitFor(), said);
    Matcher number = Pattern.compile(": (\\d+) extents? found").matcher(said);
    assertTrue(number.find(), said);
    return Integer.parseInt(number.group(1));
  }
}
