// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Operations on snapshots. A snapshot is named by its id or by its name. */
public interface Snapshots {
  /**
   * Captures a running sandbox: disk, devices and memory at one instant. Returns when the snapshot
   * is durable.
   *
   * @param name a name to find it by, or null; {@code ALREADY_EXISTS} when another one has it
   * @param memoryMode id of the only memory mode to use, or null to choose; {@code UNSUPPORTED}
   *     when it cannot do this capture, {@code INVALID_ARGUMENT} when there is none of that name
   */
  Snapshot create(String sandboxId, @Nullable String name, @Nullable String memoryMode);

  /** The same in the best memory mode that can. */
  default Snapshot create(String sandboxId, @Nullable String name) {
    return create(sandboxId, name, null);
  }

  /** The snapshot with this id or name. */
  Snapshot get(String idOrName);

  /** All snapshots that were not deleted, newest first; only those of one sandbox if given. */
  List<Snapshot> list(@Nullable String sandboxId);

  /**
   * Deletes a snapshot. Its files go when the last sandbox that started from it is gone.
   *
   * @param strict refuse with {@code CONFLICT}, naming the users, while there are any
   */
  void delete(String idOrName, boolean strict);
}
