// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.share;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import dev.ramet.spi.storage.WriteLog;

/**
 * Shares a file's blocks with a copy of it, piece by piece with rests, as long as the copy is
 * wanted. The file may be written meanwhile. Used by one thread.
 */
final class BlockSharer {
  /**
   * Only one piece is shared at a time, which bounds the time that a writer of the source waits.
   */
  private static final long PIECE_BYTES = 16 << 20;

  /** The working time between two rests. */
  private static final long WORK_NANOS = 5_000_000;

  /** Shared first, because that waits for writes that began before, also for direct ones. */
  private static final long BLOCK_BYTES = 64 << 10;

  private final Fd source;
  private final Fd target;
  private final BlockSharing strategy;
  private final Throttle pace;
  private final Demand demand;
  private long begun = System.nanoTime();

  /** The present demand for the copy, which may change at any time. */
  interface Demand {
    /** Returns whether the copy is still wanted. */
    boolean isWanted();

    /** Somebody waits for it. */
    boolean isHurried();
  }

  BlockSharer(Fd source, Fd target, BlockSharing strategy, Throttle pace, Demand demand) {
    this.source = source;
    this.target = target;
    this.strategy = strategy;
    this.pace = pace;
    this.demand = demand;
  }

  /** Shares all of the source. */
  void shareAll() throws LinuxException {
    long size = source.sizeBytes();
    strategy.match(source, target);
    target.truncate(size);
    share(0, size);
  }

  /** Shares the written ranges, if they are all that the target lacks. */
  void shareWritten(WriteLog.Written written) throws LinuxException {
    WrittenBlocks.walk(
        written.ranges(), source.stat().blockBytes(), source.sizeBytes(), this::share);
  }

  /**
   * Shares the ranges that the target does not share yet. Includes all writes that began before the
   * call.
   */
  void shareDifferences() throws LinuxException {
    long size = source.sizeBytes();
    share(0, Math.min(BLOCK_BYTES, size));
    if (demand.isWanted()) {
      ExtentDiff.walk(source, target, size, this::share);
    }
  }

  private void share(long offset, long lengthBytes) throws LinuxException {
    long end = offset + lengthBytes;
    for (long at = offset; at < end && demand.isWanted(); at += PIECE_BYTES) {
      strategy.share(source, target, at, Math.min(PIECE_BYTES, end - at));
      throttle();
    }
  }

  private void throttle() {
    if (System.nanoTime() - begun < WORK_NANOS) {
      return;
    }
    if (!demand.isHurried()) {
      pace.pause(begun, () -> demand.isHurried() || !demand.isWanted());
    }
    begun = System.nanoTime();
  }
}
