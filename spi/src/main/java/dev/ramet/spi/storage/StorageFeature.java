// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.storage;

import java.util.Locale;

/**
 * An optional ability of a storage backend, with its own interface. The opened backend implements
 * that interface if and only if the feature is stated. Later versions may add features.
 */
public enum StorageFeature {
  /** The next copy of a node can be prepared in advance. */
  COPY_PREPARATION(CopyPreparation.class),
  /** A snapshot's data can be rewritten in fewer extents. */
  IMAGE_COMPACTION(ImageCompaction.class),
  /** A snapshot that is no longer needed can become a volume. */
  VOLUME_REUSE(VolumeReuse.class),
  /** Volumes can be enlarged. */
  GROW(Growable.class),
  /** Images of several formats can be imported, and sparse files exported. */
  IMAGE_TRANSFER(ImageTransfer.class),
  /** The root can be inspected while it is in use. */
  INSPECTION(StorageInspection.class),
  /** Whole directory trees are captured at one instant. */
  DIRECTORY_SNAPSHOTS(DirectorySnapshots.class),
  /** Images are kept elsewhere and are fetched when they are read. */
  REMOTE_IMAGES(RemoteImages.class),
  /** Captured trees can be sent as the difference from an earlier one. */
  INCREMENTAL_STREAMS(TreeStreams.class);

  private final Class<?> contract;

  StorageFeature(Class<?> contract) {
    this.contract = contract;
  }

  /** Returns the interface that a backend with this feature implements. */
  public Class<?> contract() {
    return contract;
  }

  /** Returns the name that people read, for example {@code volume-reuse}. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
