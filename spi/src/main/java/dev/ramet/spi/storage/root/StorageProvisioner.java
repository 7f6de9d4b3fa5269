// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.storage.root;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Creates a place where a better storage backend works on a host whose data root does not support
 * it: for example a file system in an image file. Found by {@link java.util.ServiceLoader}; the
 * constructor does nothing.
 *
 * <p>It touches only what it created itself, which it recognises by a marker it left. All calls
 * block and are safe across threads and processes. They throw {@link
 * dev.ramet.errors.RametException}: {@code HOST_UNFIT} for a missing program or permission, {@code
 * NO_SPACE} if there is too little room, {@code CONFLICT} if something it did not create is in the
 * way or the place is in use.
 */
public interface StorageProvisioner {
  /** Returns the provisioner's name, {@code [a-z][a-z0-9-]{0,31}}; it is written to disk. */
  String id();

  /** Returns the id of the storage backend that works in the place it creates. */
  String backendId();

  /** Returns the state under a data root. Changes nothing. */
  ProvisioningStatus status(Path dataRoot);

  /**
   * Ensures that the place exists: creates it, makes it available again after a restart of the
   * host, or finds that there is nothing to do. A place that a crash left half-made is created from
   * scratch.
   *
   * @param dataRoot an existing directory
   * @param sizeBytes how large, or null for a default that fits the host; ignored if the place
   *     already exists
   * @return the root for the storage backend
   */
  Path provision(Path dataRoot, @Nullable Long sizeBytes);

  /**
   * Takes the place out of use without deleting anything, as an unmount does; {@link #provision}
   * makes it available again. Throws {@code CONFLICT} if something in it is in use, {@code
   * HOST_UNFIT} if the caller may not do it; nothing has changed then.
   *
   * @return false when there is no place in use, or the provisioner's places are always available
   */
  default boolean stop(Path dataRoot) {
    return false;
  }

  /** Removes the place with everything in it. Succeeds if there is none. */
  void remove(Path dataRoot);
}
