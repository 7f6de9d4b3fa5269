// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.root;

import org.jspecify.annotations.Nullable;

/**
 * The record of how a root was created. Reopening never selects again.
 *
 * @param format version of the layout
 * @param storageBackend id of the storage backend
 * @param id the root's unique id; null in a root of the first layout, which has no second root
 * @param memory the root that holds its memory images, or null when they are in this root
 * @param memoryOf the id of the root whose memory images are kept here, or null for a data root
 */
public record RootRecord(
    int format,
    String storageBackend,
    @Nullable String id,
    @Nullable MemoryArea memory,
    @Nullable String memoryOf) {
  /** The layout with everything in one root. */
  public static final int ONE_ROOT = 1;

  /** The layout with memory images in a second root; versions before it do not know it. */
  public static final int TWO_ROOTS = 2;

  /**
   * The root of the memory images.
   *
   * @param path the directory the operator named, absolute and without links
   * @param storageBackend id of the storage backend there
   * @param ready whether it was created, so that a missing one is lost rather than not yet created
   */
  public record MemoryArea(String path, String storageBackend, boolean ready) {}

  /** Returns the record of a root with everything in it. */
  public static RootRecord forOneRoot(String storageBackend) {
    return new RootRecord(ONE_ROOT, storageBackend, null, null, null);
  }

  /** Returns this record with its memory images in a second root. */
  public RootRecord withMemory(String newId, MemoryArea area) {
    return new RootRecord(TWO_ROOTS, storageBackend, newId, area, null);
  }

  /** Returns the record of a root for the memory images of another root. */
  public static RootRecord memoryOf(String rootId, String storageBackend) {
    return new RootRecord(TWO_ROOTS, storageBackend, null, null, rootId);
  }

  /** Returns whether this version knows the layout. */
  public boolean isKnownFormat() {
    return format == ONE_ROOT || format == TWO_ROOTS;
  }
}
