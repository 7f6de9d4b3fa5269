// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.reflinkxfs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.spi.storage.CopyPreparation;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.WriteLog;
import dev.ramet.testing.LoopFs;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the next snapshot or fork uses a prepared copy. */
class PreparedCopyTest {
  private static final NodeId V = NodeId.of("v");
  private static final NodeId S = NodeId.of("s");
  private static final NodeId BIG = NodeId.of("big");
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final String SHARING = "share blocks";

  @TempDir private Path dir;
  private LoopFs fs;
  private StorageBackend backend;
  private CopyPreparation ahead;
  private final List<String> steps = Collections.synchronizedList(new ArrayList<>());

  @BeforeEach
  void open() throws Exception {
    fs = LoopFs.xfs(dir, 320 << 20);
    backend = ReflinkXfsProvider.open(fs.root(), steps::add);
    ahead = (CopyPreparation) backend;
    backend.create(V, 4 << 20);
    write(0);
    backend.flush(V);
  }

  @AfterEach
  void close() {
    if (backend != null) {
      backend.close();
    }
    if (fs != null) {
      fs.close();
    }
  }

  /** Every other page, from the first one on. */
  private void write(int first) throws Exception {
    try (RandomAccessFile file = new RandomAccessFile(backend.attach(V).path().toFile(), "rw")) {
      for (long page = first; page < 1024; page += 2) {
        file.seek(page * 4096);
        file.write(new byte[] {'v'});
      }
    }
  }

  private void write(NodeId volume, int page, int value) throws Exception {
    try (RandomAccessFile file =
        new RandomAccessFile(backend.attach(volume).path().toFile(), "rw")) {
      file.seek(page * 4096L);
      file.write(value);
    }
  }

  private int read(NodeId node, int page) throws Exception {
    try (RandomAccessFile file = new RandomAccessFile(backend.attach(node).path().toFile(), "r")) {
      file.seek(page * 4096L);
      return file.read();
    }
  }

  private boolean shares(Runnable copy) {
    steps.clear();
    copy.run();
    return steps.contains(SHARING);
  }

  @Test
  void theNextCopySharesNothingAnew() {
    backend.snapshot(V, S, Durability.RELAXED);
    assertTrue(shares(() -> ahead.prepare(S, 0.5)));
    assertEquals(false, shares(() -> ahead.prepare(S, 0.5)), "it is there");
    assertEquals(
        false, shares(() -> backend.fork(S, NodeId.of("f"), Durability.DURABLE)), "it is used");
    assertTrue(shares(() -> backend.fork(S, NodeId.of("g"), Durability.RELAXED)), "once");
  }

  @Test
  void aVolumesCopyIsUsedAlsoWhenItIsWrittenMeanwhile() throws Exception {
    ahead.prepare(V, 1);
    assertEquals(false, shares(() -> backend.snapshot(V, S, Durability.RELAXED)));
    ahead.prepare(V, 1);
    write(1);
    assertEquals(false, shares(() -> backend.snapshot(V, NodeId.of("t"), Durability.RELAXED)));
  }

  /** In so many pieces that its log is asked. */
  private void makeBig() throws Exception {
    backend.create(BIG, 16 << 20);
    for (int page = 0; page < 4096; page += 2) {
      write(BIG, page, 'b');
    }
    backend.flush(BIG);
  }

  /** The proof that all else was not looked at: a log that lies is believed. */
  @Test
  void whatTheLogTellsIsAllThatIsLookedAt() throws Exception {
    AtomicLong mark = new AtomicLong();
    WriteLog log =
        () ->
            new WriteLog.Written(
                mark.getAndIncrement(), mark.get(), List.of(new WriteLog.Range(4096, 1)));
    makeBig();
    ahead.prepare(BIG, 1, log);
    write(BIG, 1, 'x');
    write(BIG, 3, 'y');
    backend.snapshot(BIG, S, Durability.RELAXED, log);
    assertEquals('x', read(S, 1), "was told");
    assertEquals(0, read(S, 3), "was not told");
    ahead.prepare(BIG, 1, log);
    write(BIG, 3, 'y');
    backend.snapshot(BIG, NodeId.of("t"), Durability.RELAXED);
    assertEquals('y', read(NodeId.of("t"), 3), "without a log all is looked at");
  }

  @Test
  void aSnapshotDoesNotWaitLongForWhoBeginsACopyAndAwaitsTheLog() throws Exception {
    makeBig();
    snapshotsWhileTheLogIsAwaited();
  }

  @Test
  void aSnapshotDoesNotWaitLongForWhoBringsACopyUpToDateAndAwaitsTheLog() throws Exception {
    makeBig();
    AtomicLong mark = new AtomicLong();
    ahead.prepare(BIG, 1, () -> WriteLog.Written.unknownUntil(mark.incrementAndGet()));
    write(BIG, 1, 'x');
    snapshotsWhileTheLogIsAwaited();
  }

  /** A paused machine waits for the snapshot. */
  private void snapshotsWhileTheLogIsAwaited() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch answered = new CountDownLatch(1);
    WriteLog slow =
        () -> {
          asked.countDown();
          awaitUnlessTooLong(answered);
          return WriteLog.Written.unknownUntil(Long.MAX_VALUE);
        };
    ExecutorService other = Executors.newSingleThreadExecutor();
    try {
      Future<?> preparing = other.submit(() -> ahead.prepare(BIG, 0.5, slow));
      assertTrue(asked.await(PATIENCE.toMillis(), TimeUnit.MILLISECONDS));
      write(BIG, 1, 'y');
      long start = System.nanoTime();
      assertTrue(shares(() -> backend.snapshot(BIG, S, Durability.RELAXED, slow)), "a plain one");
      Duration taken = Duration.ofNanos(System.nanoTime() - start);
      assertTrue(taken.compareTo(PATIENCE.dividedBy(3)) < 0, taken::toString);
      assertEquals('b', read(S, 0));
      assertEquals('y', read(S, 1));
      answered.countDown();
      preparing.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } finally {
      answered.countDown();
      other.shutdownNow();
    }
    write(BIG, 3, 'z');
    NodeId next = NodeId.of("t");
    assertTrue(shares(() -> ahead.prepare(BIG, 1)), "nothing is left of the other's work");
    assertEquals(false, shares(() -> backend.snapshot(BIG, next, Durability.RELAXED)));
    assertEquals('z', read(next, 3));
    assertEquals(0, read(S, 3));
  }

  private static void awaitUnlessTooLong(CountDownLatch latch) {
    try {
      latch.await(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void whatIsGivenUpIsNotUsed() {
    ahead.prepare(V, 1);
    ahead.discard(V);
    assertTrue(shares(() -> backend.snapshot(V, S, Durability.RELAXED)));
  }

  @Test
  void fewPiecesAreNotWorthACopyAhead() {
    NodeId plain = NodeId.of("plain");
    backend.create(plain, 1 << 20);
    assertEquals(false, shares(() -> ahead.prepare(plain, 1)));
  }

  @Test
  void onlySoManyAreKept() {
    backend.snapshot(V, S, Durability.RELAXED);
    for (int i = 0; i < 70; i++) {
      NodeId id = NodeId.of("s" + i);
      backend.snapshot(S, id, Durability.RELAXED);
      ahead.prepare(id, 1);
    }
    assertTrue(
        shares(() -> backend.fork(NodeId.of("s0"), NodeId.of("f0"), Durability.RELAXED)),
        "the oldest is gone");
    assertEquals(
        false, shares(() -> backend.fork(NodeId.of("s69"), NodeId.of("f69"), Durability.RELAXED)));
  }
}
