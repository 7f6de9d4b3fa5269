// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.Sandbox;
import dev.ramet.engine.Snapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** What a long history costs is paid beside the machines, and changes nothing of what they hold. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class HistoryTest {
  private static final int GENERATIONS = 6;
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
      assertTrue(System.nanoTime() - start < PATIENCE_NANOS, "copies are made ahead");
      Thread.sleep(20);
    }
  }

  /** Overwrites scattered pages of a file in memory and of one on the disk; answers the hashes. */
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
    for (int generation = 1; generation <= GENERATIONS; generation++) {
      hashes.add(write(shell, generation));
      made.add(ground.engine().snapshots().create(sandbox.id(), null));
      // Each capture is compared with the machine: with the copy used that was made ahead, with one
      // that is still being made, and with one that a deletion takes away meanwhile.
      if (generation % 2 == 0) {
        awaitCopies(2.0 * generation / 2);
      }
    }
    assertTrue(done("catch-up") >= GENERATIONS, "disks are brought up to date before the pause");
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
    // With a copy being made of everything: an engine that ends does not wait for it.
    ground.engine().snapshots().create(sandbox.id(), null);
    long start = System.nanoTime();
    ground.closeEngine();
    assertTrue(System.nanoTime() - start < 5_000_000_000L, "closing does not wait for copies");
    ground.openEngine();
    for (Snapshot snapshot : made) {
      assertEquals(Snapshot.Status.READY, ground.engine().snapshots().get(snapshot.id()).status());
    }
  }
}
