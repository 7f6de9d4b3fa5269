// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.exchange;

import dev.ramet.engine.state.ImageContent;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The record of an export: the content of {@value #FILE} in its directory. Immutable and
 * thread-safe.
 *
 * @param format version of the directory's format
 * @param id the id the snapshot had
 * @param name its name, or null
 * @param exportedAt when it was written
 * @param files every file except this one
 * @param base the base of an increment; null for a whole export
 * @param composed files that are not in the increment but are made from it and its base; null for a
 *     whole export
 */
public record ExportRecord(
    int format,
    String id,
    @Nullable String name,
    Instant exportedAt,
    List<Item> files,
    @Nullable Base base,
    @Nullable List<Item> composed) {
  /** The record's own file name. */
  public static final String FILE = "export.json";

  /** The format of a whole export. */
  public static final int FORMAT = 1;

  /** The format of an increment, which is useless without its base. */
  public static final int INCREMENT = 3;

  /** The format of increments whose images have no digest by blocks; only read. */
  public static final int OLD_INCREMENT = 2;

  /** The snapshot's manifest. */
  public static final String MANIFEST = "manifest.json";

  /** The disk. */
  public static final String DISK = "disk.raw";

  /** The memory image. */
  public static final String MEMORY = "memory.raw";

  /** The differences of the disk from the base's: see {@link DeltaReader}. */
  public static final String DISK_DELTA = "disk.delta";

  /** The differences of the memory image from the base's. */
  public static final String MEMORY_DELTA = "memory.delta";

  /** The kernel. */
  public static final String KERNEL = "kernel";

  /** The initial ram disk. */
  public static final String INITRD = "initrd";

  /** The directory of the device state. */
  public static final String DEVICES = "devices";

  /**
   * A file of the export.
   *
   * @param path its path in the directory
   * @param sizeBytes its length
   * @param sha256 digest of all of it, with holes as zeros, as sha256sum(1) prints it; of an image
   *     that an increment produces, a {@linkplain BlockDigest digest by blocks}
   */
  public record Item(String path, long sizeBytes, String sha256) {}

  /**
   * The base of an increment. Only the content identifies it: ids and names differ between hosts.
   *
   * @param id the id it had
   * @param name its name, or null
   * @param content its content
   */
  public record Base(String id, @Nullable String name, ImageContent content) {}
}
