// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.snapshots;

import org.jspecify.annotations.Nullable;

/**
 * The differences between two snapshots.
 *
 * @param a id of the first snapshot
 * @param b id of the second snapshot
 * @param memory the differences of their memory images; null when either has none
 * @param disk the differences of their disks
 * @param nanos how long the comparison took
 */
public record SnapshotDifference(
    String a, String b, @Nullable ImageDifference memory, ImageDifference disk, long nanos) {}
