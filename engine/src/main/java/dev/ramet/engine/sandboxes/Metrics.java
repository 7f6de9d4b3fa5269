// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.sandboxes;

import java.time.Instant;

/**
 * The load that a guest reports for itself. Immutable and thread-safe.
 *
 * @param at when the guest was asked
 * @param cpuCount virtual CPUs
 * @param cpuUsedPercent CPU load since the previous request, where 100 means all CPUs were busy
 * @param memoryTotalBytes memory that the guest's kernel manages
 * @param memoryUsedBytes the part of it that is not available
 * @param memoryCacheBytes the part of it that caches file contents
 * @param diskTotalBytes size of the root file system
 * @param diskUsedBytes used bytes of the root file system
 */
public record Metrics(
    Instant at,
    int cpuCount,
    double cpuUsedPercent,
    long memoryTotalBytes,
    long memoryUsedBytes,
    long memoryCacheBytes,
    long diskTotalBytes,
    long diskUsedBytes) {}
