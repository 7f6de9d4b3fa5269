// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends;

import dev.ramet.linux.Fd;
import dev.ramet.linux.FileStat;
import dev.ramet.linux.LinuxException;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A copy made ahead. Who makes, takes or drops it holds its lock; wishes about it may be told at
 * any time.
 *
 * <p>A source that a machine goes on writing is compared with its copy by where their blocks are,
 * and from then on by its time of modification: every write(2) sets that before it changes
 * anything.
 */
final class PreparedCopy {
  /** A piece of a file is shared at a time: who writes the source waits no longer than for one. */
  private static final long PIECE_BYTES = 16 << 20;

  /** How often a source is compared that is written meanwhile, when there is no time to rest. */
  private static final int ROUNDS = 3;

  /**
   * The clock that stamps files may stand still for a tick, of up to 10 ms: only a stamp that is
   * older than that differs from every later one.
   */
  private static final long SETTLED_MILLIS = 20;

  /** How long is worked without a rest. */
  private static final long WORK_NANOS = 5_000_000;

  private static final long NANOS_PER_MILLI = 1_000_000;

  /** Shared first, because that waits for direct writes that began before. */
  private static final long BLOCK_BYTES = 64 << 10;

  private final Lock lock = new ReentrantLock();
  private volatile boolean wanted = true;
  private volatile boolean hurried;
  private @Nullable Fd file;
  private volatile @Nullable Long exclusiveBytesBefore;
  private @Nullable Stamp equalAt;

  /** When a file last changed, and how long it is. */
  private record Stamp(long sizeBytes, long modifiedNanos, long changedNanos) {
    static Stamp of(Fd fd) throws LinuxException {
      FileStat stat = fd.stat();
      return new Stamp(stat.sizeBytes(), stat.modifiedNanos(), stat.changedNanos());
    }

    boolean isSettled() {
      long age = System.currentTimeMillis() - changedNanos / NANOS_PER_MILLI;
      return age > SETTLED_MILLIS && modifiedNanos <= changedNanos;
    }
  }

  /** Waits until nobody else has it. */
  void acquire() {
    lock.lock();
  }

  /** Lets the next one have it. */
  void release() {
    lock.unlock();
    if (!wanted) {
      unwant();
    }
  }

  /** Somebody waits for it. */
  void hurry() {
    hurried = true;
  }

  /** Nobody will want it: who makes it stops, and drops it. */
  void unwant() {
    wanted = false;
    if (lock.tryLock()) {
      drop();
      lock.unlock();
    }
  }

  boolean isWanted() {
    return wanted;
  }

  boolean isThere() {
    return file != null;
  }

  private Fd file() {
    Fd now = file;
    if (now == null) {
      throw new IllegalStateException("there is no copy");
    }
    return now;
  }

  /**
   * The empty file that becomes the copy.
   *
   * @param exclusiveBytes what the source has for itself now; null when that is not known
   */
  void begin(Fd empty, @Nullable Long exclusiveBytes) {
    file = empty;
    exclusiveBytesBefore = exclusiveBytes;
  }

  /** What its source had for itself before there was a copy; null when that is not known. */
  @Nullable Long exclusiveBytesBefore() {
    return exclusiveBytesBefore;
  }

  /** Shares all of the source, as long as it is wanted. */
  void fill(Fd source, BlockSharing strategy, Pace pace) throws LinuxException {
    boolean done = false;
    try {
      Fd target = file();
      long size = source.sizeBytes();
      strategy.match(source, target);
      target.truncate(size);
      long begun = System.nanoTime();
      for (long at = 0; at < size && wanted; at += PIECE_BYTES) {
        strategy.share(source, target, at, Math.min(PIECE_BYTES, size - at));
        begun = rest(pace, begun);
      }
      done = true;
    } finally {
      if (!done) {
        drop();
      }
    }
  }

  /** Rests if it is time to; returns when the work after that begins. */
  private long rest(Pace pace, long begun) {
    long now = System.nanoTime();
    if (now - begun < WORK_NANOS) {
      return begun;
    }
    if (!hurried) {
      pace.rest(begun, () -> hurried || !wanted);
    }
    return System.nanoTime();
  }

  /** Shares what the source has got since. It may be written meanwhile. */
  void catchUp(Fd source, BlockSharing strategy, Pace pace) throws LinuxException {
    boolean done = false;
    try {
      int rounds = pace.isThrottled() ? 1 : ROUNDS;
      for (int round = 0; round < rounds && wanted; round++) {
        Stamp before = Stamp.of(source);
        if (before.equals(equalAt)) {
          break;
        }
        if (!before.isSettled() && !pace.isThrottled()) {
          Pace.nap(SETTLED_MILLIS + 1);
          before = Stamp.of(source);
        }
        shareDifferences(source, strategy, pace);
        equalAt = before.isSettled() && before.equals(Stamp.of(source)) ? before : null;
      }
      done = true;
    } finally {
      if (!done) {
        drop();
      }
    }
  }

  private void shareDifferences(Fd source, BlockSharing strategy, Pace pace) throws LinuxException {
    Fd target = file();
    long size = source.sizeBytes();
    strategy.share(source, target, 0, Math.min(BLOCK_BYTES, size));
    long[] begun = {System.nanoTime()};
    ExtentDiff.walk(
        source,
        target,
        size,
        (offset, length) -> {
          if (wanted) {
            strategy.share(source, target, offset, length);
            begun[0] = rest(pace, begun[0]);
          }
        });
  }

  /** Makes what there is durable ahead, which whoever takes it need not do then. */
  void sync(Disk disk) throws LinuxException {
    disk.sync(file());
  }

  /**
   * Whether it equals its source, which nobody writes now; makes it so if need be.
   *
   * @param written whether the source is one that can have been written
   */
  boolean equalsNow(Fd source, boolean written, BlockSharing strategy) throws LinuxException {
    if (written && !Stamp.of(source).equals(equalAt)) {
      if (file().sizeBytes() != source.sizeBytes()) {
        return false;
      }
      shareDifferences(source, strategy, Pace.FULL);
    }
    return true;
  }

  /** Hands it out. */
  Fd take() {
    Fd taken = file();
    file = null;
    wanted = false;
    return taken;
  }

  /** Lets go of it. Idempotent. */
  void drop() {
    wanted = false;
    Fd now = file;
    file = null;
    if (now != null) {
      now.close();
    }
  }
}
