// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.share;

import static java.lang.System.Logger.Level.DEBUG;
import static java.lang.System.Logger.Level.WARNING;

import dev.ramet.backends.disk.Disk;
import dev.ramet.backends.disk.Layout;
import dev.ramet.backends.node.NodeFiles;
import dev.ramet.backends.node.NodeIndex;
import dev.ramet.backends.node.Usages;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.file.Fiemap;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.WriteLog;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Copies prepared in advance of a snapshot or fork, because sharing blocks takes time in the number
 * of extents, and a file that was written page by page through its history has many. A copy is an
 * unnamed file, so that a crash leaves nothing of it.
 *
 * <p>Thread-safe; the caller holds the source. If two threads want the same copy, one waits for the
 * other, but only for a short time while a machine is paused for it.
 */
public final class Preparations implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(Preparations.class.getName());

  /** Extents with which a file is copied in no time, so that a copy ahead would be no gain. */
  private static final int FEW = 128;

  /** The maximum number of copies; beyond it the one unused for the longest time is dropped. */
  private static final int MAX = 64;

  private final Layout layout;
  private final Disk disk;
  private final BlockSharing strategy;
  private final Map<NodeId, PreparedCopy> copies = new LinkedHashMap<>();
  private boolean closed;

  Preparations(Layout layout, Disk disk, BlockSharing strategy) {
    this.layout = layout;
    this.disk = disk;
    this.strategy = strategy;
  }

  /**
   * Creates a copy, or updates the existing one. Gives up silently if the source is about to be
   * deleted.
   *
   * @param log the log of the source
   */
  public void prepare(NodeIndex.Entry source, Throttle pace, WriteLog log) throws LinuxException {
    PreparedCopy copy = register(source.id());
    if (copy == null) {
      return;
    }
    if (!pace.isThrottled()) {
      copy.requestHurry();
    }
    copy.acquire();
    try (Fd from = Fd.openRead(layout.file(source.origin(), source.id()))) {
      if (copy.isWanted()) {
        make(copy, source, from, pace, log);
      }
    } finally {
      if (!copy.exists() || !copy.isWanted()) {
        copy.discard();
        unregister(source.id(), copy);
      }
      copy.release();
    }
  }

  private static boolean isWritten(NodeIndex.Entry source) {
    return source.require().kind() == Node.Kind.VOLUME;
  }

  private void make(PreparedCopy copy, NodeIndex.Entry source, Fd from, Throttle pace, WriteLog log)
      throws LinuxException {
    boolean written = isWritten(source);
    if (!copy.exists()) {
      if (!Fiemap.hasMoreThan(from, FEW)) {
        return;
      }
      Long exclusive = written ? null : Usages.of(from).exclusiveBytes();
      Fd target = disk.makeUnnamed(layout.directory(source.origin()), NodeFiles.VOLUME_MODE);
      copy.begin(target, exclusive);
      disk.steps().before("share blocks");
      copy.fill(from, strategy, pace, log);
    }
    if (written && copy.isWanted()) {
      copy.catchUp(from, strategy, pace, log);
    }
    if (copy.isWanted()) {
      copy.sync(disk);
    }
  }

  private synchronized @Nullable PreparedCopy register(NodeId source) {
    if (closed) {
      return null;
    }
    PreparedCopy copy = copies.computeIfAbsent(source, id -> new PreparedCopy());
    Iterator<PreparedCopy> oldest = copies.values().iterator();
    while (copies.size() > MAX && oldest.hasNext()) {
      PreparedCopy old = oldest.next();
      if (old != copy) {
        oldest.remove();
        old.cancel();
      }
    }
    return copy;
  }

  private synchronized void unregister(NodeId source, PreparedCopy copy) {
    copies.remove(source, copy);
  }

  /**
   * Hands out a copy that equals the source; the caller closes it. Nobody writes the source now,
   * even if it is a volume: a machine is paused, so the wait for another thread's work on the copy
   * is short.
   *
   * @param from the source, open
   * @param log the log of the source
   * @return null if there is no copy
   */
  @Nullable Fd takeCopy(NodeIndex.Entry source, Fd from, WriteLog log) {
    PreparedCopy copy;
    synchronized (this) {
      copy = copies.get(source.id());
    }
    if (copy == null) {
      return null;
    }
    copy.requestHurry();
    if (!isWritten(source)) {
      copy.acquire();
    } else if (!copy.acquireSoon()) {
      LOG.log(WARNING, "the prepared copy of {0} is not finished, so it is not used", source.id());
      unregister(source.id(), copy);
      copy.cancel();
      return null;
    }
    Fd taken = null;
    try {
      if (copy.exists()
          && copy.isWanted()
          && copy.isCurrent(from, isWritten(source), strategy, log)) {
        taken = copy.takeFile();
      }
      return taken;
    } catch (LinuxException e) {
      // If the cause matters, an ordinary copy fails with it too.
      LOG.log(DEBUG, "cannot use a prepared copy", e);
      return null;
    } finally {
      copy.discard();
      unregister(source.id(), copy);
      copy.release();
    }
  }

  /**
   * Returns how much of a snapshot was exclusive before its copy was prepared, which shares all of
   * it.
   *
   * @return null if there is no copy
   */
  public synchronized @Nullable Long exclusiveBytesBefore(NodeId source) {
    PreparedCopy copy = copies.get(source);
    return copy == null ? null : copy.exclusiveBytesBefore();
  }

  /** Drops a source's copy; a preparation under way stops soon. */
  public void forget(NodeId source) {
    PreparedCopy copy;
    synchronized (this) {
      copy = copies.remove(source);
    }
    if (copy != null) {
      copy.cancel();
    }
  }

  /** Drops all copies, and waits for preparations under way. */
  @Override
  public void close() {
    List<PreparedCopy> all;
    synchronized (this) {
      closed = true;
      all = new ArrayList<>(copies.values());
      copies.clear();
    }
    for (PreparedCopy copy : all) {
      copy.cancel();
      copy.acquire();
      copy.discard();
      copy.release();
    }
  }
}
