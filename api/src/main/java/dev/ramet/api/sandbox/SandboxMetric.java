// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.sandbox;

/**
 * The load of a guest at one time, as it says itself. Sizes are in bytes. Immutable and
 * thread-safe.
 *
 * @param timestamp RFC 3339 in UTC
 * @param timestampUnix the same in seconds since 1970
 * @param cpuCount virtual CPUs
 * @param cpuUsedPct how busy they were since the guest was last asked, 100 for all of them
 * @param memUsed memory that is not available
 * @param memTotal memory that the guest's kernel manages
 * @param memCache memory that holds file contents
 * @param diskUsed what is used of the root file system
 * @param diskTotal its size
 */
public record SandboxMetric(
    String timestamp,
    long timestampUnix,
    int cpuCount,
    double cpuUsedPct,
    long memUsed,
    long memTotal,
    long memCache,
    long diskUsed,
    long diskTotal) {}
