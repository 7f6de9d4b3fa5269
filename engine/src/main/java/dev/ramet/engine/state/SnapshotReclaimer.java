// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.state;

import dev.ramet.engine.support.Errors;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.file.OpenFlag;
import dev.ramet.linux.file.WriteLease;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Removes deleted snapshots once nothing rests on them. A sandbox rests on the snapshot whose
 * memory image it maps, because its next capture builds on that image; an operation that starts
 * machines pins its source meanwhile. Thread-safe.
 */
public final class SnapshotReclaimer {
  private static final System.Logger LOG = System.getLogger(SnapshotReclaimer.class.getName());

  private final RootContents holdings;
  private final Map<String, Integer> pins = new HashMap<>();

  public SnapshotReclaimer(RootContents holdings) {
    this.holdings = holdings;
  }

  /** A snapshot that stays while this is open. */
  public final class Pin implements AutoCloseable {
    private final SnapshotRecord record;
    private boolean open = true;

    private Pin(SnapshotRecord record) {
      this.record = record;
    }

    public SnapshotRecord record() {
      return record;
    }

    @Override
    public void close() {
      synchronized (SnapshotReclaimer.this) {
        if (open) {
          open = false;
          pins.computeIfPresent(record.id(), (id, n) -> n == 1 ? null : n - 1);
        }
      }
      reclaim(record.id());
    }
  }

  /**
   * Finds what a user means and keeps it.
   *
   * @param kind what to call it when it is not there
   */
  public synchronized Pin pin(String kind, String idOrName) {
    PendingSnapshots.Entry writing = holdings.writings().find(idOrName);
    SnapshotRecord record = holdings.snapshots().names().resolve(idOrName).orElse(null);
    if (record == null) {
      throw writing == null
          ? holdings.snapshots().names().missing(kind, idOrName)
          : holdings.writings().refusal(writing);
    }
    return pin(record);
  }

  /** Keeps a snapshot that was just made. */
  public synchronized Pin pin(SnapshotRecord record) {
    pins.merge(record.id(), 1, Integer::sum);
    return new Pin(record);
  }

  /**
   * Keeps a snapshot, deleted or not, whose memory image is to be overlaid; null when that is gone.
   */
  public synchronized @Nullable Pin pinIfThere(String id) {
    SnapshotRecord record = holdings.snapshots().find(id).orElse(null);
    if (record == null) {
      return null;
    }
    // A deleted one may have lost its image and still be on record, a broken one as well.
    boolean gone = holdings.storage().find(Layout.snapshotMemory(id)).isEmpty();
    return gone ? null : pin(record);
  }

  /** The sandboxes that rest on a snapshot. */
  public List<String> users(String snapshotId) {
    Stream<String> known =
        holdings.sandboxes().all().stream()
            .map(LiveSandbox::saved)
            .filter(record -> snapshotId.equals(record.machine().memoryBase()))
            .map(SandboxRecord::id);
    return Stream.concat(known, unreadableUser(snapshotId)).sorted().toList();
  }

  /**
   * A sandbox that was paused as this and whose manifest cannot be read, which somebody may mend:
   * then it has nothing else.
   */
  private Stream<String> unreadableUser(String snapshotId) {
    return holdings
        .snapshots()
        .find(snapshotId)
        .filter(record -> record.kind() == SnapshotRecord.Kind.PAUSE)
        .map(SnapshotRecord::sandboxId)
        .filter(holdings.sandboxes()::isUnreadable)
        .stream();
  }

  /** Whether something rests on a snapshot. */
  public synchronized boolean isNeeded(String id) {
    return pins.containsKey(id) || !users(id).isEmpty();
  }

  /** Marks a snapshot deleted and removes it now if nothing rests on it. */
  public void delete(SnapshotRecord record) {
    synchronized (this) {
      SnapshotRecord now = holdings.snapshots().find(record.id()).orElse(null);
      if (now == null) {
        return;
      }
      try {
        holdings.snapshots().change(now.id(), SnapshotRecord::asDeleted, true);
      } catch (IOException e) {
        if (isNeeded(now.id())) {
          throw Errors.io("cannot delete " + now.id(), holdings.layout().root(), e);
        }
        removeUnmarked(now.id());
        return;
      }
    }
    reclaim(record.id());
  }

  /**
   * Removes a snapshot that nothing rests on where there is no room even for a mark. Its directory
   * goes first, by a rename, which takes none: volumes without one are removed at the next start.
   */
  private void removeUnmarked(String id) {
    try {
      holdings.snapshots().remove(id);
    } catch (IOException e) {
      throw Errors.io("cannot delete " + id, holdings.layout().root(), e);
    }
    holdings.storage().delete(Layout.snapshotMemory(id));
    holdings.storage().delete(Layout.snapshotDisk(id));
  }

  /**
   * Withdraws a snapshot whose memory volume is to be written to: it is marked deleted, durably,
   * before the volume is touched. Only if its volume has no reader but the caller, who has pinned
   * it; nobody becomes one meanwhile.
   *
   * @param reuse takes the volume
   * @return what stands in the way; nothing has happened then; null when it is done
   */
  public synchronized @Nullable String withdraw(String id, Runnable reuse) {
    SnapshotRecord record = holdings.snapshots().find(id).orElse(null);
    if (record == null || record.deleted()) {
      return "it was deleted meanwhile";
    }
    Integer pinned = pins.get(id);
    if (pinned == null || pinned != 1) {
      return "another operation reads it";
    }
    List<String> users = users(id);
    if (!users.isEmpty()) {
      return "sandboxes rest on it: " + String.join(", ", users);
    }
    NodeId memory = Layout.snapshotMemory(id);
    if (!isUnread(holdings.storage().attach(memory).path())) {
      return "somebody has its memory image open, or it cannot be told";
    }
    try {
      holdings.before("replace.withdraw");
      holdings.snapshots().change(id, SnapshotRecord::asDeleted, true);
      boolean done = false;
      try {
        holdings.before("replace.reuse");
        reuse.run();
        done = true;
      } finally {
        boolean intact =
            !done
                && holdings
                    .storage()
                    .find(memory)
                    .filter(node -> node.kind() == Node.Kind.SNAPSHOT)
                    .isPresent();
        if (intact) {
          holdings.snapshots().restore(id);
        }
      }
      return null;
    } catch (IOException e) {
      throw Errors.io("cannot withdraw " + id, holdings.layout().root(), e);
    }
  }

  /** Asks the kernel; where it cannot say, there may be a reader. */
  private static boolean isUnread(Path image) {
    try (Fd fd = Fd.open(image, Set.of(OpenFlag.READ, OpenFlag.WRITE, OpenFlag.NO_FOLLOW), 0)) {
      return WriteLease.is(fd);
    } catch (LinuxException e) {
      LOG.log(System.Logger.Level.DEBUG, "users of {0} unknown: {1}", image, e.getMessage());
      return false;
    }
  }

  /** Removes a snapshot if it is deleted and nothing rests on it any more. */
  public synchronized void reclaim(@Nullable String id) {
    if (id == null || pins.containsKey(id)) {
      return;
    }
    SnapshotRecord record = holdings.snapshots().find(id).orElse(null);
    if (record == null || !record.deleted() || !users(id).isEmpty()) {
      return;
    }
    try {
      holdings.before("reclaim.memory");
      holdings.storage().delete(Layout.snapshotMemory(id));
      holdings.before("reclaim.disk");
      holdings.storage().delete(Layout.snapshotDisk(id));
      holdings.before("reclaim.manifest");
      holdings.snapshots().remove(id);
    } catch (RametException | IOException e) {
      // It is marked deleted, so the next start tries again: nobody has to remember it.
      LOG.log(System.Logger.Level.WARNING, "cannot reclaim " + id + " now", e);
    }
  }
}
