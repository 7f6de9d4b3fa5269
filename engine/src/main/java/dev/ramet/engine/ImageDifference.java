// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

import java.util.List;

/**
 * Where two images differ, in whole pages of 4096 bytes. What one of them has no room for counts as
 * zeros.
 *
 * @param sizeBytes the size of the larger one
 * @param differingBytes the length of all differing pages together
 * @param rangeCount in how many ranges they are
 * @param ranges the first of these, in ascending order
 * @param sharedBytes what was told to be equal by where it is on the disk
 * @param comparedBytes what had to be read and compared
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

  /** A run of differing pages; both numbers in bytes. */
  public record Range(long offset, long length) {}
}
