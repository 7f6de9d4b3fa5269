// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.storage;

/**
 * A backend that can turn a snapshot that is no longer needed into a volume of another name without
 * copying a byte; it states {@link StorageFeature#VOLUME_REUSE}. For backends whose forks copy
 * everything: content that changes little is then updated in place.
 *
 * <p>Thread-safe. Errors are those of {@link StorageBackend}.
 */
public interface VolumeReuse {
  /**
   * Turns a snapshot into a writable volume with the same content and another name. The snapshot is
   * then gone. Not durable until the volume is sealed or flushed: a crash before that leaves the
   * snapshot, the volume, or neither, and each is whole unless it was written.
   *
   * @param snapshot a snapshot without ancestor and descendants, which nobody has open
   * @param id the volume's name, not taken
   * @throws dev.ramet.errors.RametException {@code CONFLICT} for a volume and for a snapshot that
   *     has ancestors or descendants; nothing has happened then
   */
  Node reuse(NodeId snapshot, NodeId id);
}
