// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.share;

import static java.lang.System.Logger.Level.DEBUG;

import dev.ramet.backends.disk.Disk;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.file.Fiemap;
import dev.ramet.linux.file.FileStat;
import dev.ramet.spi.storage.WriteLog;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A copy prepared in advance. A thread that creates, takes or drops it holds its lock; requests
 * about it may be made at any time.
 *
 * <p>While a machine goes on writing the source, the copy lacks what was written since. The
 * machine's log tells what that is, or else a comparison of the {@linkplain ExtentDiff block
 * addresses} does. After a comparison, an unchanged modification time proves that the copy lacks
 * nothing more: every write(2) sets that time before it changes anything, and one that began
 * earlier was waited for. A log does not wait: a write in flight while it answers is in its next
 * answer, and may have set the time long ago. So after a log's answer, only another answer of the
 * log proves it.
 */
final class PreparedCopy implements BlockSharer.Demand {
  private static final System.Logger LOG = System.getLogger(PreparedCopy.class.getName());

  /** Extents from which on to ask the log takes less time than to look at all of them, twice. */
  private static final int MANY = 511;

  /**
   * The number of comparisons with a source that is written meanwhile, if there is no time to rest.
   */
  private static final int ROUNDS = 3;

  /**
   * The clock that stamps files may stand still for a tick, of up to 10 ms: only a stamp that is
   * older than that differs from every later one.
   */
  private static final long SETTLED_MILLIS = 20;

  private static final long SOON_MILLIS = 1000;

  private static final long NANOS_PER_MILLI = 1_000_000;

  private final Lock lock = new ReentrantLock();
  private volatile boolean wanted = true;
  private volatile boolean hurried;
  private @Nullable Fd file;
  private volatile @Nullable Long exclusiveBytesBefore;
  private @Nullable Stamp equalAt;
  private boolean many;

  /** The copy lacks only what was written since this mark of the source's log. */
  private long mark = WriteLog.NO_MARK;

  /** The times of a file's last changes, and its length. */
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

  /** Waits until no other thread holds it. */
  void acquire() {
    lock.lock();
  }

  /**
   * Acquires the lock while a machine is paused for it. The holder may itself be waiting for a
   * log's answer or a disk; the wait is limited to the time a log's answer may take in a pause.
   *
   * @return whether the lock was acquired; if not, or if interrupted, the copy must not be used
   */
  boolean acquireSoon() {
    try {
      return lock.tryLock() || lock.tryLock(SOON_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Releases the lock. */
  void release() {
    lock.unlock();
    if (!wanted) {
      cancel();
    }
  }

  /** Somebody waits for it. */
  void requestHurry() {
    hurried = true;
  }

  /** Marks it as no longer wanted: a thread that is creating it stops and drops it. */
  void cancel() {
    wanted = false;
    if (lock.tryLock()) {
      discard();
      lock.unlock();
    }
  }

  @Override
  public boolean isWanted() {
    return wanted;
  }

  @Override
  public boolean isHurried() {
    return hurried;
  }

  boolean exists() {
    return file != null;
  }

  private Fd requireFile() {
    Fd now = file;
    if (now == null) {
      throw new IllegalStateException("there is no copy");
    }
    return now;
  }

  /**
   * Sets the empty file that becomes the copy.
   *
   * @param exclusiveBytes the source's exclusive bytes now; null if not known
   */
  void begin(Fd empty, @Nullable Long exclusiveBytes) {
    file = empty;
    exclusiveBytesBefore = exclusiveBytes;
  }

  /** Returns the source's exclusive bytes before there was a copy; null if not known. */
  @Nullable Long exclusiveBytesBefore() {
    return exclusiveBytesBefore;
  }

  /**
   * Shares all of the source, as long as the copy is wanted.
   *
   * @param log the log of the source
   */
  void fill(Fd source, BlockSharing strategy, Throttle pace, WriteLog log) throws LinuxException {
    boolean done = false;
    try {
      many = Fiemap.hasMoreThan(source, MANY);
      askLog(log);
      new BlockSharer(source, requireFile(), strategy, pace, this).shareAll();
      done = true;
    } finally {
      if (!done) {
        discard();
      }
    }
  }

  /**
   * Asks the log what was written since the last answer; null if that is not known, or everything
   * is compared soon anyway.
   */
  private WriteLog.@Nullable Written askLog(WriteLog log) {
    long before = mark;
    mark = WriteLog.NO_MARK;
    if (!many) {
      return null;
    }
    try {
      WriteLog.Written written = log.take();
      mark = written.until();
      return written.isAllSince(before) ? written : null;
    } catch (RametException e) {
      LOG.log(DEBUG, "comparing a volume, because its write log failed", e);
      return null;
    }
  }

  /**
   * Shares what the source has gained since. It may be written meanwhile.
   *
   * @param log the log of the source
   */
  void catchUp(Fd source, BlockSharing strategy, Throttle pace, WriteLog log)
      throws LinuxException {
    boolean done = false;
    try {
      BlockSharer sharing = new BlockSharer(source, requireFile(), strategy, pace, this);
      int rounds = pace.isThrottled() ? 1 : ROUNDS;
      for (int round = 0; round < rounds && wanted; round++) {
        Stamp before = Stamp.of(source);
        if (before.equals(equalAt)) {
          break;
        }
        if (shareWritten(sharing, log)) {
          if (before.equals(Stamp.of(source))) {
            break; // There is hardly more.
          }
          continue;
        }
        if (!before.isSettled() && !pace.isThrottled()) {
          Throttle.sleep(SETTLED_MILLIS + 1);
          before = Stamp.of(source);
        }
        sharing.shareDifferences();
        equalAt = before.isSettled() && before.equals(Stamp.of(source)) ? before : null;
      }
      done = true;
    } finally {
      if (!done) {
        discard();
      }
    }
  }

  /** Shares what was written since the last answer; returns whether that is known. */
  private boolean shareWritten(BlockSharer sharing, WriteLog log) throws LinuxException {
    WriteLog.Written written = askLog(log);
    if (written == null) {
      return false;
    }
    equalAt = null;
    sharing.shareWritten(written);
    return true;
  }

  /** Makes the present content durable in advance, so that the taker need not. */
  void sync(Disk disk) throws LinuxException {
    disk.sync(requireFile());
  }

  /**
   * Returns whether it equals its source, which nobody writes now; updates it first if necessary.
   *
   * @param written whether the source can have been written
   * @param log the log of the source
   */
  boolean isCurrent(Fd source, boolean written, BlockSharing strategy, WriteLog log)
      throws LinuxException {
    if (written && !Stamp.of(source).equals(equalAt)) {
      if (requireFile().sizeBytes() != source.sizeBytes()) {
        return false;
      }
      BlockSharer sharing = new BlockSharer(source, requireFile(), strategy, Throttle.FULL, this);
      // Without a mark, asking the log would only take time.
      if (mark == WriteLog.NO_MARK || !shareWritten(sharing, log)) {
        sharing.shareDifferences();
      }
    }
    return wanted; // Sharing stops as soon as the copy is not wanted.
  }

  /** Hands it out. */
  Fd takeFile() {
    Fd taken = requireFile();
    file = null;
    wanted = false;
    return taken;
  }

  /** Drops it. Idempotent. */
  void discard() {
    wanted = false;
    Fd now = file;
    file = null;
    if (now != null) {
      now.close();
    }
  }
}
