// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

import org.jspecify.annotations.Nullable;

/**
 * How two snapshots differ.
 *
 * @param a id of the one
 * @param b id of the other
 * @param memory their memory images; null when either has none
 * @param disk their disks
 * @param nanos how long finding out took
 */
public record SnapshotDifference(
    String a, String b, @Nullable ImageDifference memory, ImageDifference disk, long nanos) {}
