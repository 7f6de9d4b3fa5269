// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.storage;

/**
 * Names of the capabilities that storage backends state in {@link
 * dev.ramet.spi.ProbeResult.Usable#capabilities}. A capability that adds calls has its own
 * interface, which the opened backend implements if and only if the capability is stated.
 */
public final class StorageCapabilities {
  /**
   * A snapshot or fork shares its source's blocks until one of them is written, so it costs neither
   * the time nor the space of copying them.
   */
  public static final String COPY_ON_WRITE = "copy-on-write";

  /** The next copy of a node can be prepared in advance: {@link CopyPreparation}. */
  public static final String COPY_PREPARATION = "copy-preparation";

  /** A snapshot's data can be rewritten in fewer extents: {@link ImageCompaction}. */
  public static final String IMAGE_COMPACTION = "image-compaction";

  /** A snapshot that is no longer needed can become a volume: {@link VolumeReuse}. */
  public static final String VOLUME_REUSE = "volume-reuse";

  /** Volumes can be enlarged: {@link Growable}. */
  public static final String GROW = "grow";

  /**
   * Images of several formats can be imported, and sparse files exported: {@link ImageTransfer}.
   */
  public static final String IMAGE_TRANSFER = "image-transfer";

  /** The root can be inspected while it is in use: {@link StorageInspection}. */
  public static final String INSPECTION = "inspection";

  /** Whole directory trees are captured at one instant: {@link DirectorySnapshots}. */
  public static final String DIRECTORY_SNAPSHOTS = "directory-snapshots";

  /** Captured trees can be sent as the difference from an earlier one: {@link TreeStreams}. */
  public static final String INCREMENTAL_STREAMS = "incremental-streams";

  private StorageCapabilities() {}
}
