// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.snapshot;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How two snapshots differ. Immutable and thread-safe as far as its lists are.
 *
 * @param a id of the one
 * @param b id of the other
 * @param memory their memory; null when either has none
 * @param disk their disks
 * @param totalMs milliseconds that finding out took
 */
public record SnapshotDiff(String a, String b, @Nullable Image memory, Image disk, double totalMs) {
  /**
   * Where two images differ, in whole pages of 4096 bytes.
   *
   * @param sizeBytes the size of the larger one
   * @param differingBytes the length of all differing pages together
   * @param differingPages how many these are
   * @param rangeCount in how many ranges they are
   * @param ranges the first of these
   * @param sharedBytes what is equal because it is the same blocks on the disk
   * @param comparedBytes what had to be read and compared
   */
  public record Image(
      long sizeBytes,
      long differingBytes,
      long differingPages,
      long rangeCount,
      List<Range> ranges,
      long sharedBytes,
      long comparedBytes) {}

  /** A run of differing pages; both numbers in bytes. */
  public record Range(long offset, long length) {}
}
