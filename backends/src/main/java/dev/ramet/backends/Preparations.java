// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends;

import static java.lang.System.Logger.Level.DEBUG;
import static java.lang.System.Logger.Level.WARNING;

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
 * Copies made ahead of the snapshot or fork that will want them, because sharing blocks takes time
 * in the number of extents, and a file that was written page by page through its history has many.
 * A copy is a file without a name, so that a crash leaves nothing of it.
 *
 * <p>Thread-safe; the caller holds the source. One of two that want the same copy waits for the
 * other, though not for long where a machine stands still for it.
 */
final class Preparations implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(Preparations.class.getName());

  /** Extents with which a file is copied in no time, so that a copy ahead would be no gain. */
  private static final int FEW = 128;

  /** How many copies are kept; then the one that waited longest goes. */
  private static final int MOST = 64;

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
   * Makes a copy, or brings the one that there is up to date. Gives up without a word when the
   * source is to be deleted.
   *
   * @param log of the source
   */
  void prepare(NodeIndex.Entry source, Pace pace, WriteLog log) throws LinuxException {
    PreparedCopy copy = register(source.id());
    if (copy == null) {
      return;
    }
    if (!pace.isThrottled()) {
      copy.hurry();
    }
    copy.acquire();
    try (Fd from = Fd.openRead(layout.file(source.origin(), source.id()))) {
      if (copy.isWanted()) {
        make(copy, source, from, pace, log);
      }
    } finally {
      if (!copy.isThere() || !copy.isWanted()) {
        copy.drop();
        unregister(source.id(), copy);
      }
      copy.release();
    }
  }

  private static boolean isWritten(NodeIndex.Entry source) {
    return source.require().kind() == Node.Kind.VOLUME;
  }

  private void make(PreparedCopy copy, NodeIndex.Entry source, Fd from, Pace pace, WriteLog log)
      throws LinuxException {
    boolean written = isWritten(source);
    if (!copy.isThere()) {
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
    while (copies.size() > MOST && oldest.hasNext()) {
      PreparedCopy old = oldest.next();
      if (old != copy) {
        oldest.remove();
        old.unwant();
      }
    }
    return copy;
  }

  private synchronized void unregister(NodeId source, PreparedCopy copy) {
    copies.remove(source, copy);
  }

  /**
   * Hands out a copy that equals the source; the caller closes it. Of a source that can be written
   * nobody writes it now: a machine stands still, so another's work on the copy is not waited for
   * long.
   *
   * @param from the source, open
   * @param log of the source
   * @return null when there is none
   */
  @Nullable Fd take(NodeIndex.Entry source, Fd from, WriteLog log) {
    PreparedCopy copy;
    synchronized (this) {
      copy = copies.get(source.id());
    }
    if (copy == null) {
      return null;
    }
    copy.hurry();
    if (!isWritten(source)) {
      copy.acquire();
    } else if (!copy.acquireSoon()) {
      LOG.log(WARNING, "a copy of {0} is not used, which is still being made ahead", source.id());
      unregister(source.id(), copy);
      copy.unwant();
      return null;
    }
    Fd taken = null;
    try {
      if (copy.isThere()
          && copy.isWanted()
          && copy.equalsNow(from, isWritten(source), strategy, log)) {
        taken = copy.take();
      }
      return taken;
    } catch (LinuxException e) {
      // Whatever it is, a copy made anew meets it too if it matters.
      LOG.log(DEBUG, "a copy made ahead cannot be used", e);
      return null;
    } finally {
      copy.drop();
      unregister(source.id(), copy);
      copy.release();
    }
  }

  /**
   * What a snapshot had for itself before its copy was made, which shares it all.
   *
   * @return null when there is no copy
   */
  synchronized @Nullable Long exclusiveBytesBefore(NodeId source) {
    PreparedCopy copy = copies.get(source);
    return copy == null ? null : copy.exclusiveBytesBefore();
  }

  /** Lets go of a source's copy; who is making it stops soon. */
  void forget(NodeId source) {
    PreparedCopy copy;
    synchronized (this) {
      copy = copies.remove(source);
    }
    if (copy != null) {
      copy.unwant();
    }
  }

  /** Lets go of all, and waits for whoever is making one. */
  @Override
  public void close() {
    List<PreparedCopy> all;
    synchronized (this) {
      closed = true;
      all = new ArrayList<>(copies.values());
      copies.clear();
    }
    for (PreparedCopy copy : all) {
      copy.unwant();
      copy.acquire();
      copy.drop();
      copy.release();
    }
  }
}
