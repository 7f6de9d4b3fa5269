// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.storage;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What {@code POST /storage/check} and {@code POST /storage/gc} answer. Immutable and thread-safe
 * as far as its list is.
 *
 * @param findings what is not as it should be, or, of the latter, what nothing needs
 * @param bytes what the leftovers among them take, or took where they were removed
 * @param snapshots how many snapshots and templates were looked at, hidden ones included; null when
 *     that was not the question
 * @param sandboxes how many sandboxes, likewise
 * @param nodes how many disks and memory images, likewise
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
   * @param severity {@code error} when something that is relied on is lost or damaged, else {@code
   *     warning}
   * @param kind {@code damage}, {@code leftover} or {@code foreign}
   * @param path what it is about
   * @param what what is the matter, for people
   * @param remedy what to do
   * @param repair {@code no}, {@code possible} or {@code done}
   * @param bytes what it takes on disk, where that would come free
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
