// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.snapshot;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The differences between two snapshots. Immutable and thread-safe if its lists are.
 *
 * @param a id of the first snapshot
 * @param b id of the second snapshot
 * @param memory differences of their memory; null when either has none
 * @param disk differences of their disks
 * @param totalMs duration of the comparison in milliseconds
 */
public record SnapshotDiff(String a, String b, @Nullable Image memory, Image disk, double totalMs) {
  /**
   * The differences between two images, in whole pages of 4096 bytes.
   *
   * @param sizeBytes the size of the larger image
   * @param differingBytes total length of all differing pages
   * @param differingPages number of differing pages
   * @param rangeCount number of ranges they form
   * @param ranges the first of these ranges
   * @param sharedBytes bytes known to be equal because both images share the blocks on disk
   * @param comparedBytes bytes that had to be read and compared
   */
  public record Image(
      long sizeBytes,
      long differingBytes,
      long differingPages,
      long rangeCount,
      List<Range> ranges,
      long sharedBytes,
      long comparedBytes) {}

  /** A run of differing pages; offset and length are in bytes. */
  public record Range(long offset, long length) {}
}
