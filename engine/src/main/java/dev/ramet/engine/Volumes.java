// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

import java.util.List;

/**
 * Operations on volumes: directory trees on the host that sandboxes share, and that no snapshot,
 * rollback or clone touches. A call on an unknown id throws {@code NOT_FOUND}. Thread-safe.
 */
public interface Volumes {
  /**
   * Makes an empty volume.
   *
   * @throws dev.ramet.errors.RametException {@code ALREADY_EXISTS} when another one has that name
   */
  Volume create(String name);

  /** The volume with this id. */
  Volume get(String id);

  /** All volumes, oldest first. */
  List<Volume> list();

  /**
   * Removes a volume and all its files.
   *
   * @throws dev.ramet.errors.RametException {@code CONFLICT} while a sandbox has it
   */
  void delete(String id);

  /** The files of a volume. */
  VolumeContent content(String id);
}
