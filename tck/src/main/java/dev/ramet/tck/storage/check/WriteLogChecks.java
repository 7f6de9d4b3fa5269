// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.storage.check;

import static dev.ramet.tck.storage.World.PAGE;
import static dev.ramet.tck.storage.World.S;
import static dev.ramet.tck.storage.World.T;
import static dev.ramet.tck.storage.World.V;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ramet.spi.storage.CopyPreparation;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.WriteLog;
import dev.ramet.tck.storage.World;
import dev.ramet.tck.support.Threads;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/**
 * Checks that a snapshot equals the volume at its instant, whatever the volume's log reports, and
 * whenever.
 */
public abstract class WriteLogChecks {
  /** Called by the kit. */
  protected WriteLogChecks() {}

  /**
   * Every other page is written, so that the data has more extents than any backend regards as few.
   */
  private static final int PAGES = 2048;

  private static final int BYTES = PAGES * PAGE;
  private static final double BACKGROUND = 0.5;

  private final byte[] content = new byte[BYTES];
  private final WriteNotes log = new WriteNotes();

  public abstract World world();

  private StorageBackend backend() {
    return world().backend();
  }

  private void prepare(double share) {
    if (backend() instanceof CopyPreparation ahead) {
      ahead.prepare(V, share, log);
    }
  }

  private void scattered() {
    backend().create(V, BYTES);
    for (int page = 0; page < PAGES; page += 2) {
      write((long) page * PAGE, PAGE, page % 250 + 1);
    }
    backend().flush(V);
  }

  /** Writes and then reports the write to the log. */
  private void write(long offset, int length, int value) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) value);
    world().write(V, offset, bytes);
    System.arraycopy(bytes, 0, content, (int) offset, length);
    log.wrote(offset, length);
  }

  /** Begins a write of a page; the returned action ends it and reports it to the log. */
  private Runnable begin(int page, int value) {
    byte[] bytes = new byte[PAGE];
    Arrays.fill(bytes, (byte) value);
    int offset = page * PAGE;
    Runnable end = world().begin(V, offset, bytes);
    return () -> {
      end.run();
      System.arraycopy(bytes, 0, content, offset, PAGE);
      log.wrote(offset, PAGE);
    };
  }

  private void discard(int page, int pages) {
    world().discard(V, (long) page * PAGE, (long) pages * PAGE);
    Arrays.fill(content, page * PAGE, (page + pages) * PAGE, (byte) 0);
    log.wrote((long) page * PAGE, (long) pages * PAGE);
  }

  private void holds(NodeId id, byte[] expected, String when) {
    byte[] found = world().bytes(id, 0, expected.length);
    int at = Arrays.mismatch(expected, found);
    assertEquals(
        -1,
        at,
        () ->
            id
                + " is wrong at page "
                + at / PAGE
                + " "
                + when
                + ": what a log tells is all that was written since the mark at which it begins,"
                + " and what a time of modification tells is that no write began");
  }

  @Test
  void aSnapshotIsTheVolumeAtItsInstantHoweverItsLogAnswers() {
    scattered();
    Random random = new Random(11);
    WriteNotes.Manner[] manners = WriteNotes.Manner.values();
    for (int round = 0; round < 32; round++) {
      NodeId snapshot = NodeId.of("r" + round);
      if (round % 5 > 0) {
        prepare(round % 5 == 1 ? BACKGROUND : 1);
      }
      for (int i = 0; i < round % 4; i++) {
        write(random.nextInt(BYTES - 9000), 1 + random.nextInt(9000), 'a' + round % 60);
        discard(random.nextInt(PAGES - 9), 1 + random.nextInt(8));
        if (i == 1) {
          log.next(manners[random.nextInt(manners.length)]);
          prepare(1);
        }
      }
      log.next(manners[round % manners.length]);
      backend().snapshot(V, snapshot, Durability.RELAXED, log);
      byte[] then = content.clone();
      write((long) random.nextInt(PAGES) * PAGE, PAGE, 'A' + round % 50);
      holds(snapshot, then, "in round " + round);
      holds(V, content, "in round " + round);
      backend().delete(snapshot);
    }
  }

  /** A log that was not asked for a while continues where its last answer ended. */
  @Test
  void askingWithAndWithoutTheLogInTurnsLosesNothing() {
    scattered();
    Random random = new Random(13);
    for (int round = 0; round < 12; round++) {
      NodeId snapshot = NodeId.of("r" + round);
      prepare(1);
      write((long) random.nextInt(PAGES) * PAGE, PAGE, 'a' + round);
      if (round % 3 == 0 && backend() instanceof CopyPreparation ahead) {
        ahead.prepare(V, 1);
        write((long) random.nextInt(PAGES) * PAGE, PAGE, 'b' + round);
      }
      if (round % 2 == 0) {
        backend().snapshot(V, snapshot, Durability.RELAXED);
      } else {
        backend().snapshot(V, snapshot, Durability.RELAXED, log);
      }
      holds(snapshot, content, "in round " + round);
      backend().delete(snapshot);
    }
  }

  @Test
  void aVolumeIsPreparedWhileItIsWrittenAndLogged() throws Exception {
    scattered();
    for (int round = 0; round < 8; round++) {
      AtomicBoolean stop = new AtomicBoolean();
      int value = 'a' + round;
      Random random = new Random(round);
      Threads.run(
          2,
          thread -> {
            if (thread == 0) {
              while (!stop.get()) {
                write((long) random.nextInt(PAGES) * PAGE, PAGE, value);
              }
            } else {
              try {
                prepare(BACKGROUND);
                prepare(1);
                prepare(1);
              } finally {
                stop.set(true);
              }
            }
          });
      NodeId snapshot = NodeId.of("r" + round);
      backend().snapshot(V, snapshot, Durability.RELAXED, log);
      holds(snapshot, content, "prepared while it was written, round " + round);
      backend().delete(snapshot);
    }
  }

  /**
   * The modification time changes when a write begins, but a log reports it only after it has
   * ended.
   */
  @Test
  void aWriteThatIsUnderWayWhileTheLogAnswersIsNotLost() {
    scattered();
    for (int round = 0; round < 6; round++) {
      prepare(1);
      Runnable end = begin(PAGES / 4 + round, 'a' + round);
      if (round % 2 > 0) {
        write((PAGES / 2 + round) * (long) PAGE, PAGE, 'A' + round);
      }
      for (int asked = 0; asked <= round % 3; asked++) {
        prepare(1);
      }
      end.run();
      NodeId snapshot = NodeId.of("r" + round);
      backend().snapshot(V, snapshot, Durability.RELAXED, log);
      holds(snapshot, content, "written while the log answered, round " + round);
      backend().delete(snapshot);
    }
  }

  @Test
  void aCopyGivenUpWhileItIsBroughtUpToDateIsNotUsed() {
    scattered();
    prepare(1);
    write(5 * PAGE, PAGE, 'x');
    WriteLog givingUp =
        () -> {
          if (backend() instanceof CopyPreparation ahead) {
            ahead.discard(V);
          }
          return log.take();
        };
    backend().snapshot(V, S, Durability.RELAXED, givingUp);
    holds(S, content, "whose copy was given up meanwhile");
    log.next(WriteNotes.Manner.FAILING);
    backend().snapshot(V, T, Durability.RELAXED, log);
    holds(T, content, "without a copy made ahead, and with a log that fails");
  }
}
