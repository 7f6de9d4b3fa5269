// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.snapshots.Snapshot;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Checks that a disk written during its capture is consistent with the captured memory. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class OneInstantTest {
  private static final int SLOTS = 16;
  private static final long PATIENCE_NANOS = 60_000_000_000L;

  /** Writes a growing number to one slot of a file after another, and then to memory. */
  private static final String WRITER =
      ("echo 0 > /tmp/count; setsid sh -c 'n=0; while :; do n=$((n + 1)); echo $n |"
              + " dd of=/root/slots bs=4096 seek=$((n * 7 % SLOTS)) conv=notrunc,fsync;"
              + " echo $n > /tmp/count.new; mv /tmp/count.new /tmp/count; done'"
              + " > /dev/null 2>&1 & echo $! > /tmp/writer")
          .replace("SLOTS", Integer.toString(SLOTS));

  /**
   * Stops the writer; prints the number in memory, then the slots from the disk and not from the
   * page cache.
   */
  private static final String STOP_AND_LOOK =
      "kill -9 $(cat /tmp/writer); while pidof dd > /dev/null; do sleep 0.1; done;"
          + " cat /tmp/count; echo 3 > /proc/sys/vm/drop_caches; tr -d '\\0' < /root/slots";

  private Ground ground;

  @BeforeAll
  void makeGround() throws Exception {
    ground = Ground.make();
  }

  @AfterAll
  void clear() throws Exception {
    ground.close();
  }

  /**
   * The disk has many extents and is written during the captures, so that QEMU must report in the
   * pause what was written since before it. Each slot holds the last number put there by the
   * writer, whose count is in memory.
   */
  @Test
  void aDiskThatIsWrittenMeanwhileIsOfOneInstantWithTheMemory() throws Exception {
    Sandbox sandbox = ground.create();
    GuestShell shell = ground.shell(sandbox.id());
    shell.run(
        "head -c 8388608 /dev/zero | tr '\\0' x > /root/pieces; head -c "
            + SLOTS * 4096
            + " /dev/zero > /root/slots; sync");
    ground.engine().snapshots().create(sandbox.id(), null);
    // Extents shared with that snapshot move when they are written.
    shell.run(
        "i=0; while [ $i -lt 2048 ]; do echo | dd of=/root/pieces bs=4096 seek=$i conv=notrunc"
            + " 2>/dev/null; i=$((i + 3)); done; sync");
    ground.engine().snapshots().create(sandbox.id(), null);
    shell.run(WRITER);
    List<Snapshot> made = new ArrayList<>();
    for (int i = 1; i <= 6; i++) {
      awaitCount(shell, i * 2 * SLOTS);
      made.add(ground.engine().snapshots().create(sandbox.id(), null));
    }
    try (Stream<Path> files = Files.walk(ground.root().resolve("sandboxes"))) {
      assertTrue(files.anyMatch(file -> file.endsWith("nbd.sock")), "QEMU is asked");
    }
    ground.engine().sandboxes().kill(sandbox.id());
    for (Snapshot snapshot : made) {
      Sandbox back = ground.create(snapshot.id());
      assertOneInstant(ground.shell(back.id()).run(STOP_AND_LOOK).split("\\s+"));
      ground.engine().sandboxes().kill(back.id());
    }
  }

  /**
   * Compares a disk with the memory it was captured with.
   *
   * @param found the count in memory, and the numbers on the disk, by slot
   */
  private static void assertOneInstant(String[] found) {
    int count = Integer.parseInt(found[0]);
    String[] expected = new String[SLOTS + 1];
    expected[0] = found[0];
    for (int number = count - SLOTS + 1; number <= count; number++) {
      expected[1 + number * 7 % SLOTS] = Integer.toString(number);
    }
    assertEquals(expected.length, found.length, "slots that hold a number");
    // Between a write and its count the disk is one ahead.
    int next = 1 + (count + 1) * 7 % SLOTS;
    if (found[next].equals(Integer.toString(count + 1))) {
      expected[next] = found[next];
    }
    assertArrayEquals(expected, found);
  }

  private static void awaitCount(GuestShell shell, int atLeast) throws Exception {
    long start = System.nanoTime();
    while (Integer.parseInt("0" + shell.run("cat /tmp/count 2>/dev/null || :")) < atLeast) {
      assertTrue(System.nanoTime() - start < PATIENCE_NANOS, "the guest writes");
      Thread.sleep(20);
    }
  }
}
