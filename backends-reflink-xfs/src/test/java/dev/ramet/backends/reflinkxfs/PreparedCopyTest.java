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
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A copy made ahead is what the next snapshot or fork uses. */
class PreparedCopyTest {
  private static final NodeId V = NodeId.of("v");
  private static final NodeId S = NodeId.of("s");
  private static final NodeId BIG = NodeId.of("big");
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
    backend.close();
    fs.close();
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

  /** The proof that all else was not looked at: a log that lies is believed. */
  @Test
  void whatTheLogTellsIsAllThatIsLookedAt() throws Exception {
    AtomicLong mark = new AtomicLong();
    WriteLog log =
        () ->
            new WriteLog.Written(
                mark.getAndIncrement(), mark.get(), List.of(new WriteLog.Range(4096, 1)));
    backend.create(BIG, 16 << 20);
    for (int page = 0; page < 4096; page += 2) {
      write(BIG, page, 'b');
    }
    backend.flush(BIG);
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
