// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.storage;

import dev.ramet.api.operation.ApiError;
import org.jspecify.annotations.Nullable;

/**
 * One line of the {@code application/x-ndjson} response of {@code GET /storage/usage}: exactly one
 * of the three components is set. The nodes of a data root come first, then its sums. Immutable and
 * thread-safe.
 *
 * @param node a disk or memory image
 * @param root the sums of a data root
 * @param error why the list ends early
 */
public record StorageUsage(@Nullable Node node, @Nullable Root root, @Nullable ApiError error) {
  /**
   * A disk or memory image.
   *
   * @param root the data root that contains it
   * @param id its id
   * @param owner the sandbox or snapshot it belongs to, or empty
   * @param ownerName the owner's name, or null
   * @param sizeBytes its size as a guest sees it
   * @param exclusiveBytes space that deleting it would free
   * @param referencedBytes space it takes, including what it shares with others
   */
  public record Node(
      String root,
      String id,
      String owner,
      @Nullable String ownerName,
      long sizeBytes,
      long exclusiveBytes,
      long referencedBytes) {}

  /**
   * The sums of a data root.
   *
   * @param path path of the data root
   * @param backend id of its storage backend
   * @param nodes number of disks and memory images in it
   * @param exclusiveBytes sum of the exclusive bytes of all nodes
   * @param usedBytes used space of its file system
   * @param totalBytes size of its file system
   */
  public record Root(
      String path,
      String backend,
      long nodes,
      long exclusiveBytes,
      long usedBytes,
      long totalBytes) {}
}
