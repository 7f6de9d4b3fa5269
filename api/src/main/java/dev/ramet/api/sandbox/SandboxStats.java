// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.sandbox;

import org.jspecify.annotations.Nullable;

/**
 * The host's resources that a sandbox uses. Counters begin with its machine, which a rollback
 * replaces: compare two samples for rates. Immutable and thread-safe.
 *
 * @param sandboxID the sandbox
 * @param alias the name of its template, or null
 * @param state {@code creating}, {@code running}, {@code paused} or {@code failed}
 * @param timestamp when it was measured, RFC 3339 in UTC
 * @param cpuCount virtual CPUs
 * @param memoryMB guest memory in MiB
 * @param usage the measurements; null for a sandbox that does not run
 */
public record SandboxStats(
    String sandboxID,
    @Nullable String alias,
    String state,
    String timestamp,
    int cpuCount,
    long memoryMB,
    @Nullable Usage usage) {
  /**
   * Measurements of a running sandbox.
   *
   * @param cpuSeconds processor time used
   * @param memoryOwnBytes memory that no other machine shares
   * @param memorySharedBytes memory that it shares with other machines, for example its clones
   * @param diskReadBytes bytes read from storage
   * @param diskWrittenBytes bytes written to storage
   * @param networkReceivedBytes bytes that the guest received; null if its agent does not say
   * @param networkSentBytes bytes that the guest sent; null if its agent does not say
   */
  public record Usage(
      double cpuSeconds,
      long memoryOwnBytes,
      long memorySharedBytes,
      long diskReadBytes,
      long diskWrittenBytes,
      @Nullable Long networkReceivedBytes,
      @Nullable Long networkSentBytes) {}
}
