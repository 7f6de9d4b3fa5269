// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.storage;

/**
 * A backend that can turn a snapshot that is given up into a volume of another name without copying
 * a byte; it states {@link StorageCapabilities#VOLUME_REUSE}. For backends whose forks copy
 * everything: what changes little is then written into the old bytes.
 *
 * <p>Thread-safe. Errors are those of {@link StorageBackend}.
 */
public interface VolumeReuse {
  /**
   * Makes a snapshot into a writable volume with the same content and another name. The snapshot is
   * gone then. Not durable until the volume is sealed or flushed; a crash in between leaves the
   * snapshot, the volume, or neither, but each of them whole as far as nobody has written it.
   *
   * @param snapshot one without an ancestor and without descendants, which nobody has open
   * @param id the volume's name, not taken
   * @throws dev.ramet.errors.RametException {@code CONFLICT} for a volume and for a snapshot that
   *     has ancestors or descendants; nothing has happened then
   */
  Node reuse(NodeId snapshot, NodeId id);
}
