// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

/**
 * What a rollback did.
 *
 * @param sandbox the sandbox, running again
 * @param snapshotId where it is now
 * @param totalNanos from the request to the agent's answer
 */
public record RollbackReport(Sandbox sandbox, String snapshotId, long totalNanos) {}
