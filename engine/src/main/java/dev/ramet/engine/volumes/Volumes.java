// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.volumes;

import dev.ramet.engine.IdListener;
import java.util.List;

/**
 * Operations on volumes: directory trees on the host that sandboxes share, and that no snapshot,
 * rollback or clone affects. Every call throws {@code NOT_FOUND} for an unknown id. Thread-safe.
 */
public interface Volumes {
  /**
   * Creates an empty volume.
   *
   * @throws dev.ramet.errors.RametException {@code ALREADY_EXISTS} when another volume has that
   *     name
   */
  default Volume create(String name) {
    return create(name, IdListener.NONE);
  }

  /**
   * Creates a volume like {@link #create(String)}.
   *
   * @param ids receives the volume's id beforehand
   */
  Volume create(String name, IdListener ids);

  /** Returns the volume with this id. */
  Volume get(String id);

  /** Returns all volumes, oldest first. */
  List<Volume> list();

  /**
   * Removes a volume and all its files.
   *
   * @throws dev.ramet.errors.RametException {@code CONFLICT} while a sandbox mounts it
   */
  void delete(String id);

  /** Returns access to the files of a volume. */
  VolumeContent content(String id);
}
