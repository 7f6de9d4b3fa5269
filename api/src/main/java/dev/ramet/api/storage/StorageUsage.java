// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.storage;

import dev.ramet.api.operation.ApiError;
import org.jspecify.annotations.Nullable;

/**
 * One line of what {@code GET /storage/usage} answers as {@code application/x-ndjson}: exactly one
 * of the three is there. Nodes come first; after those of a root, or of the last one, come the
 * sums. Immutable and thread-safe.
 *
 * @param node a disk or memory image
 * @param root the sums of a root
 * @param error why it ends here
 */
public record StorageUsage(@Nullable Node node, @Nullable Root root, @Nullable ApiError error) {
  /**
   * A disk or memory image.
   *
   * @param root the root it is in
   * @param id its id
   * @param owner the sandbox or snapshot it belongs to, or empty
   * @param ownerName that one's name, or null
   * @param sizeBytes its size as a guest sees it
   * @param exclusiveBytes what deleting it would free
   * @param referencedBytes what it takes together with what it shares with others
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
   * The sums of a root.
   *
   * @param path where it is
   * @param backend id of its storage backend
   * @param nodes how many disks and memory images are in it
   * @param exclusiveBytes the sum of what each has for itself
   * @param usedBytes what is used of its file system
   * @param totalBytes the size of that
   */
  public record Root(
      String path,
      String backend,
      long nodes,
      long exclusiveBytes,
      long usedBytes,
      long totalBytes) {}
}
