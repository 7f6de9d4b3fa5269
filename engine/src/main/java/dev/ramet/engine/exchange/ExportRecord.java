// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.exchange;

import dev.ramet.engine.state.ImageContent;
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
 * @param base what an increment builds on; null for a whole export
 * @param composed what is not in an increment but comes of it and its base; null for a whole export
 */
public record ExportRecord(
    int format,
    String id,
    @Nullable String name,
    Instant exportedAt,
    List<Item> files,
    @Nullable Base base,
    @Nullable List<Item> composed) {
  /** The record's own name. */
  public static final String FILE = "export.json";

  /** The format of a whole export. */
  public static final int FORMAT = 1;

  /** The format of an export that is less than whole: without its base it is nothing. */
  public static final int INCREMENT = 2;

  /** The snapshot's manifest. */
  public static final String MANIFEST = "manifest.json";

  /** The disk. */
  public static final String DISK = "disk.raw";

  /** The memory image. */
  public static final String MEMORY = "memory.raw";

  /** What the disk has otherwise than the base's: see {@link Delta}. */
  public static final String DISK_DELTA = "disk.delta";

  /** What the memory image has otherwise than the base's. */
  public static final String MEMORY_DELTA = "memory.delta";

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

  /**
   * What an increment builds on. Only the content counts: ids and names differ from host to host.
   *
   * @param id the id it had
   * @param name its name, or null
   * @param content what it holds
   */
  public record Base(String id, @Nullable String name, ImageContent content) {}
}
