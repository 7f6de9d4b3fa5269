// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.sandboxes;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The host's resources that a running sandbox uses. Counters begin with its machine, which a
 * rollback replaces. Immutable and thread-safe.
 *
 * @param at when it was measured
 * @param cpuTime processor time that the machine has used
 * @param ownBytes memory that no other machine shares
 * @param sharedBytes memory that it shares with other machines, for example clones
 * @param disk bytes read from and written to storage
 * @param network bytes that the guest received and sent; null if its agent does not say
 */
public record MachineUsage(
    Instant at,
    Duration cpuTime,
    long ownBytes,
    long sharedBytes,
    Traffic disk,
    @Nullable Traffic network) {
  /**
   * Counters of both directions.
   *
   * @param inBytes bytes read or received
   * @param outBytes bytes written or sent
   */
  public record Traffic(long inBytes, long outBytes) {}
}
