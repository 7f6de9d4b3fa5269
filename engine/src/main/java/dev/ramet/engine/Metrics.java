// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

import java.time.Instant;

/**
 * What a guest says of its own load. Immutable and thread-safe.
 *
 * @param at when it was asked
 * @param cpuCount virtual CPUs
 * @param cpuUsedPercent how busy they were since the guest was last asked, 100 for all of them
 * @param memoryTotalBytes memory that the guest's kernel manages
 * @param memoryUsedBytes what of it is not available
 * @param memoryCacheBytes what of it holds file contents
 * @param diskTotalBytes size of the root file system
 * @param diskUsedBytes what of it is used
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
