// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.sandbox;

/**
 * The load of a guest at one time, as the guest reports it. Sizes are in bytes. Immutable and
 * thread-safe.
 *
 * @param timestamp RFC 3339 in UTC
 * @param timestampUnix the same time in seconds since 1970
 * @param cpuCount virtual CPUs
 * @param cpuUsedPct CPU use since the previous sample in percent; 100 means all CPUs were busy
 * @param memUsed memory that is not available
 * @param memTotal memory that the guest's kernel manages
 * @param memCache memory that holds file contents
 * @param diskUsed used space of the root file system
 * @param diskTotal size of the root file system
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
