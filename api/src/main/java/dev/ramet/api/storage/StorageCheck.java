// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.storage;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The response of {@code POST /storage/check} and {@code POST /storage/gc}. Immutable and
 * thread-safe if its list is.
 *
 * @param findings the problems found; for {@code gc}, the objects that nothing needs
 * @param bytes space that the leftovers among them take, or took before they were removed
 * @param snapshots number of snapshots and templates checked, hidden ones included; null for {@code
 *     gc}
 * @param sandboxes number of sandboxes checked; null for {@code gc}
 * @param nodes number of disks and memory images checked; null for {@code gc}
 */
public record StorageCheck(
    List<Finding> findings,
    long bytes,
    @Nullable Integer snapshots,
    @Nullable Integer sandboxes,
    @Nullable Integer nodes) {
  /**
   * One finding.
   *
   * @param severity {@code error} when data in use is lost or damaged, otherwise {@code warning}
   * @param kind {@code damage}, {@code leftover} or {@code foreign}
   * @param path the object concerned
   * @param what the problem, in words for people
   * @param remedy what to do
   * @param repair {@code no}, {@code possible} or {@code done}
   * @param bytes space on disk that a repair frees
   */
  public record Finding(
      String severity,
      String kind,
      String path,
      String what,
      String remedy,
      String repair,
      long bytes) {}

  /** The body of {@code POST /storage/check}. */
  public record Request(@Nullable Boolean repair) {}

  /** The body of {@code POST /storage/gc}. */
  public record Collect(@Nullable Boolean dryRun) {}
}
