// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.state;

import dev.ramet.engine.support.Errors;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.file.OpenFlag;
import dev.ramet.linux.file.WriteLease;
import dev.ramet.spi.storage.Attachment;
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
 * Removes deleted snapshots once nothing depends on them. A sandbox depends on the snapshot whose
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

  /** Keeps a snapshot from being removed until it is closed. */
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
   * Resolves a reference and pins the snapshot.
   *
   * @param kind the word for such a record in the error when there is none
   */
  public synchronized Pin pin(String kind, String idOrName) {
    PendingSnapshots.Entry writing = holdings.writings().find(idOrName);
    SnapshotRecord record = holdings.snapshots().names().resolve(idOrName).orElse(null);
    if (record == null) {
      throw writing == null
          ? holdings.snapshots().names().notFound(kind, idOrName)
          : holdings.writings().refusal(writing);
    }
    return pin(record);
  }

  /** Pins a snapshot that was just created. */
  public synchronized Pin pin(SnapshotRecord record) {
    pins.merge(record.id(), 1, Integer::sum);
    return new Pin(record);
  }

  /**
   * Pins a snapshot, deleted or not, whose memory image is to be overlaid; returns null when the
   * image is gone.
   */
  public synchronized @Nullable Pin pinIfThere(String id) {
    SnapshotRecord record = holdings.snapshots().find(id).orElse(null);
    if (record == null) {
      return null;
    }
    // A deleted or broken snapshot may still be on record although its image is gone.
    boolean gone = holdings.storage().find(Layout.snapshotMemory(id)).isEmpty();
    return gone ? null : pin(record);
  }

  /** Returns the ids of sandboxes that depend on a snapshot. */
  public List<String> users(String snapshotId) {
    Stream<String> known =
        holdings.sandboxes().all().stream()
            .map(LiveSandbox::saved)
            .filter(record -> snapshotId.equals(record.machine().memoryBase()))
            .map(SandboxRecord::id);
    return Stream.concat(known, unreadableUser(snapshotId)).sorted().toList();
  }

  /**
   * Returns the sandbox whose pause this snapshot holds, if that sandbox's manifest is unreadable.
   * Somebody may repair the manifest, and the sandbox then needs this snapshot.
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

  /** Returns whether anything depends on a snapshot. */
  public synchronized boolean isNeeded(String id) {
    return pins.containsKey(id) || !users(id).isEmpty();
  }

  /** Deletes the snapshot with this id like {@link #delete}, if it is on record. */
  public void deleteIfThere(String id) {
    holdings.snapshots().find(id).ifPresent(this::delete);
  }

  /** Marks a snapshot deleted, and removes it now if nothing depends on it. */
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
          throw Errors.ioError("cannot delete " + now.id(), holdings.layout().root(), e);
        }
        removeUnmarked(now.id());
        return;
      }
    }
    reclaim(record.id());
  }

  /**
   * Removes a snapshot that nothing depends on when there is no space even to mark it deleted. Its
   * directory goes first, by a rename, which needs no space: the next start removes volumes without
   * a directory.
   */
  private void removeUnmarked(String id) {
    try {
      holdings.snapshots().remove(id);
    } catch (IOException e) {
      throw Errors.ioError("cannot delete " + id, holdings.layout().root(), e);
    }
    holdings.storage().delete(Layout.snapshotMemory(id));
    holdings.storage().delete(Layout.snapshotDisk(id));
  }

  /**
   * Withdraws a snapshot so that its memory volume can be overwritten: the snapshot is durably
   * marked deleted before the volume is touched. Requires that only the caller, who has pinned it,
   * uses the volume; nobody else can start to use it meanwhile.
   *
   * @param reuse takes over the volume
   * @return the reason why it cannot be withdrawn, in which case nothing has changed; null on
   *     success
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
      return "sandboxes depend on it: " + String.join(", ", users);
    }
    NodeId memory = Layout.snapshotMemory(id);
    // A server does not say who is connected to it.
    if (holdings.storage().attach(memory) instanceof Attachment.Socket
        || !isUnread(holdings.storage().attach(memory).path())) {
      return "a process has its memory image open, or this cannot be determined";
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
      throw Errors.ioError("cannot withdraw " + id, holdings.layout().root(), e);
    }
  }

  /** Asks the kernel whether an image has no readers; returns false when it cannot tell. */
  private static boolean isUnread(Path image) {
    try (Fd fd = Fd.open(image, Set.of(OpenFlag.READ, OpenFlag.WRITE, OpenFlag.NO_FOLLOW), 0)) {
      return WriteLease.isSoleOpener(fd);
    } catch (LinuxException e) {
      LOG.log(System.Logger.Level.DEBUG, "users of {0} unknown: {1}", image, e.getMessage());
      return false;
    }
  }

  /** Removes a snapshot if it is deleted and nothing depends on it any more. */
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
      // It is marked deleted, so the next start tries again.
      LOG.log(System.Logger.Level.WARNING, "cannot reclaim " + id + " now", e);
    }
  }
}
