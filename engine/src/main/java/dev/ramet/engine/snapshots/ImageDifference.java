// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.snapshots;

import java.util.List;

/**
 * The differences between two images, in whole pages of 4096 bytes. Beyond the end of the smaller
 * image, its content counts as zeros.
 *
 * @param sizeBytes the size of the larger image
 * @param differingBytes the total length of all differing pages
 * @param rangeCount the number of ranges of differing pages
 * @param ranges the first of these ranges, in ascending order
 * @param sharedBytes bytes found equal because both images share the same blocks on disk
 * @param comparedBytes bytes that had to be read and compared
 */
public record ImageDifference(
    long sizeBytes,
    long differingBytes,
    long rangeCount,
    List<Range> ranges,
    long sharedBytes,
    long comparedBytes) {
  /** Copies the list. */
  public ImageDifference {
    ranges = List.copyOf(ranges);
  }

  /** A run of differing pages; both numbers are in bytes. */
  public record Range(long offset, long length) {}
}
