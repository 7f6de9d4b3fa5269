// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.storage;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Makes a place where a better storage backend works on a host whose data root cannot: for example
 * a file system in an image file. Found by {@link java.util.ServiceLoader}; the constructor does
 * nothing.
 *
 * <p>It touches only what it made itself, and recognises that by a marker it left. All calls block,
 * and are safe between threads and between processes. They throw {@link
 * dev.ramet.errors.RametException}: {@code HOST_UNFIT} for a missing program or permission, {@code
 * NO_SPACE} when there is too little room, {@code CONFLICT} when something it did not make is in
 * the way or the place is in use.
 */
public interface StorageProvisioner {
  /** The provisioner's name, {@code [a-z][a-z0-9-]{0,31}}; it is written to disk. */
  String id();

  /** The id of the storage backend that works in the place it makes. */
  String backendId();

  /** How things are under a data root. Changes nothing. */
  ProvisioningStatus status(Path dataRoot);

  /**
   * Sees to it that the place is there: makes it, or makes it available again after a restart of
   * the host, or finds that there is nothing to do. What a crash left half-made is made anew.
   *
   * @param dataRoot an existing directory
   * @param sizeBytes how large, or null for a default that fits the host; ignored when it was made
   *     before
   * @return the root for the storage backend
   */
  Path provision(Path dataRoot, @Nullable Long sizeBytes);

  /** Takes the place away with everything in it. Success when there is none. */
  void remove(Path dataRoot);
}
