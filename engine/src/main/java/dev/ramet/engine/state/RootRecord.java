// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.state;

import org.jspecify.annotations.Nullable;

/**
 * What a root was made with. Reopening never chooses again.
 *
 * @param format version of the layout
 * @param storageBackend id of the storage backend
 * @param id names the root among all roots; null in a root of the first layout, which has no other
 *     root beside it
 * @param memory where its memory images are, or null when they are in the root itself
 * @param memoryOf the id of the root whose memory images are kept here, or null for a root of its
 *     own
 */
public record RootRecord(
    int format,
    String storageBackend,
    @Nullable String id,
    @Nullable MemoryArea memory,
    @Nullable String memoryOf) {
  /** The layout with everything in one root. */
  public static final int ONE_ROOT = 1;

  /** The layout with memory images in a root of their own; unknown to versions without it. */
  public static final int TWO_ROOTS = 2;

  /**
   * The root of the memory images.
   *
   * @param path the directory the operator named, absolute and without links
   * @param storageBackend id of the storage backend there
   * @param ready it was made, so that one that is missing now is lost and not yet to be made
   */
  public record MemoryArea(String path, String storageBackend, boolean ready) {}

  /** A root with everything in it. */
  public static RootRecord single(String storageBackend) {
    return new RootRecord(ONE_ROOT, storageBackend, null, null, null);
  }

  /** The same root with its memory images elsewhere. */
  public RootRecord withMemory(String newId, MemoryArea area) {
    return new RootRecord(TWO_ROOTS, storageBackend, newId, area, null);
  }

  /** A root for the memory images of another one. */
  public static RootRecord memoryOf(String rootId, String storageBackend) {
    return new RootRecord(TWO_ROOTS, storageBackend, null, null, rootId);
  }

  /** Whether this code knows the layout. */
  public boolean known() {
    return format == ONE_ROOT || format == TWO_ROOTS;
  }
}
