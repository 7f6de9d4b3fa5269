// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.snapshots;

import dev.ramet.engine.IdListener;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Operations on snapshots. Several versions may share a name and are distinguished by tags. A
 * reference is an id, a name (which means the version tagged {@code default}), or a name, a colon
 * and a tag. Unknown references throw {@code NOT_FOUND} with a remedy that lists the existing tags.
 * Thread-safe.
 */
public interface Snapshots {
  /**
   * Captures disk, devices and memory of a running sandbox at one instant. Returns when the
   * snapshot is durable or, if the request does not wait, as soon as the machine runs again. In
   * that case the snapshot is {@code WRITING} and becomes {@code READY} or {@code FAILED} later;
   * using it before it is ready throws {@code CONFLICT}. Another snapshot of the same name and tag
   * stays reachable by its id: the tag moves to the new one when that is ready.
   *
   * @throws dev.ramet.errors.RametException {@code ALREADY_EXISTS} when a template has the name,
   *     {@code INVALID_ARGUMENT} when there is no such memory mode, {@code UNSUPPORTED} when a
   *     forced mode cannot do this capture
   */
  default Snapshot create(NewSnapshot request) {
    return create(request, IdListener.NONE);
  }

  /**
   * Captures a sandbox like {@link #create(NewSnapshot)}.
   *
   * @param ids receives the snapshot's id beforehand
   */
  Snapshot create(NewSnapshot request, IdListener ids);

  /**
   * Returns the last snapshot of a sandbox if the sandbox's memory and disk still equal it byte for
   * byte. Empty when something changed or when this cannot be determined: before the first snapshot
   * of this machine, after a clone, or if the memory mode or the hypervisor does not report
   * changes. A guest that keeps time changes with every tick. For a paused sandbox, which cannot
   * change, returns the snapshot taken since it was paused, or empty if there is none. Takes
   * milliseconds and does not pause the machine.
   *
   * @throws dev.ramet.errors.RametException {@code NOT_FOUND}, {@code CONFLICT} when the sandbox
   *     neither runs nor is paused, or is busy
   */
  Optional<Snapshot> findUnchanged(String sandboxId);

  /** Captures a sandbox in the best available memory mode, with an optional name. */
  default Snapshot create(String sandboxId, @Nullable String name) {
    return create(NewSnapshot.named(sandboxId, name));
  }

  /**
   * Waits until a snapshot is no longer being written, whether it succeeded or failed. Returns at
   * once when there is nothing to wait for, also for an unknown snapshot.
   *
   * @throws dev.ramet.errors.RametException {@code DEADLINE_EXCEEDED} when that takes longer than
   *     {@code timeout}
   */
  void await(String idOrName, Duration timeout);

  /** Returns the snapshot with this id or name. */
  Snapshot get(String idOrName);

  /**
   * Returns all snapshots that were not deleted, newest first; only those of one sandbox if given.
   */
  List<Snapshot> list(@Nullable String sandboxId);

  /**
   * Compares two snapshots or templates, memory with memory and disk with disk.
   *
   * @param mostRanges the largest number of differing ranges to list for each; the others are only
   *     counted
   */
  SnapshotDifference diff(String a, String b, int mostRanges);

  /**
   * Deletes a snapshot or, for a name without a tag, all snapshots of that name. Its files are
   * removed when the last sandbox that started from it is gone.
   *
   * @param strict whether to refuse with {@code CONFLICT}, naming the users, while there are any
   */
  void delete(String idOrName, boolean strict);
}
