// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Operations on snapshots. Several may have one name as versions of it, told apart by tags: a
 * reference is an id, a name, which is that of its version tagged {@code default}, or a name and a
 * tag with a colon between them. Thread-safe. What is not there is {@code NOT_FOUND}, with a remedy
 * that names the tags that are.
 */
public interface Snapshots {
  /**
   * Captures a running sandbox: disk, devices and memory at one instant. Returns when the snapshot
   * is durable, or, if the request does not wait, when the machine runs again: the snapshot is then
   * {@code WRITING}, and becomes {@code READY} or {@code FAILED}; what uses it before it is ready
   * gets {@code CONFLICT}. Another snapshot of the same name and tag stays, by its id: the tag
   * moves to the new one when that is ready.
   *
   * @throws dev.ramet.errors.RametException {@code ALREADY_EXISTS} when a template has the name,
   *     {@code INVALID_ARGUMENT} when there is no such memory mode, {@code UNSUPPORTED} when a
   *     forced one cannot do this capture
   */
  Snapshot create(NewSnapshot request);

  /**
   * The last snapshot of a sandbox, if memory and disk are what it holds: whatever was written
   * since is the same byte for byte. Empty when something changed, and when it cannot be told:
   * before the first snapshot of this machine, after a clone, where the memory mode or the
   * hypervisor does not say. A guest that keeps time changes with every tick. Of a paused sandbox,
   * which cannot change, a snapshot that was taken since it was paused, or empty before the first.
   * Takes milliseconds and no pause.
   *
   * @throws dev.ramet.errors.RametException {@code NOT_FOUND}, {@code CONFLICT} when the sandbox
   *     neither runs nor is paused, or is busy
   */
  Optional<Snapshot> unchanged(String sandboxId);

  /** The same in the best memory mode that can, under a name or none. */
  default Snapshot create(String sandboxId, @Nullable String name) {
    return create(NewSnapshot.of(sandboxId, name));
  }

  /**
   * Waits until a snapshot is not being written any more, ready or not; at once when there is
   * nothing to wait for, also for an unknown one.
   *
   * @throws dev.ramet.errors.RametException {@code DEADLINE_EXCEEDED} when that takes longer than
   *     {@code timeout}
   */
  void await(String idOrName, Duration timeout);

  /** The snapshot that is meant. */
  Snapshot get(String idOrName);

  /** All snapshots that were not deleted, newest first; only those of one sandbox if given. */
  List<Snapshot> list(@Nullable String sandboxId);

  /**
   * Compares two snapshots or templates, memory with memory and disk with disk.
   *
   * @param mostRanges how many differing ranges of each to tell; the others are only counted
   */
  SnapshotDifference diff(String a, String b, int mostRanges);

  /**
   * Deletes a snapshot, or, where it is meant by a name without a tag, all of that name. Its files
   * go when the last sandbox that started from it is gone.
   *
   * @param strict refuse with {@code CONFLICT}, naming the users, while there are any
   */
  void delete(String idOrName, boolean strict);
}
