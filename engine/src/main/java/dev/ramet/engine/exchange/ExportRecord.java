// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.exchange;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What {@value #FILE} in an exported directory says. Immutable and thread-safe.
 *
 * @param format version of the directory's format
 * @param id the id the snapshot had
 * @param name its name, or null
 * @param exportedAt when it was written
 * @param files every file but this one
 */
public record ExportRecord(
    int format, String id, @Nullable String name, Instant exportedAt, List<Item> files) {
  /** The record's own name. */
  public static final String FILE = "export.json";

  /** The only format there is. */
  public static final int FORMAT = 1;

  /** The snapshot's manifest. */
  public static final String MANIFEST = "manifest.json";

  /** The disk. */
  public static final String DISK = "disk.raw";

  /** The memory image. */
  public static final String MEMORY = "memory.raw";

  /** The kernel. */
  public static final String KERNEL = "kernel";

  /** The initial ram disk. */
  public static final String INITRD = "initrd";

  /** The directory of the device state. */
  public static final String DEVICES = "devices";

  /**
   * One file.
   *
   * @param path where it is in the directory
   * @param sizeBytes its length
   * @param sha256 of all of it, holes as zeros, as sha256sum(1) prints it
   */
  public record Item(String path, long sizeBytes, String sha256) {}
}
