// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.sandboxes;

/**
 * The result of a rollback.
 *
 * @param sandbox the sandbox, running again
 * @param snapshotId the snapshot it was rolled back to
 * @param totalNanos from the request until the agent answered
 */
public record RollbackReport(Sandbox sandbox, String snapshotId, long totalNanos) {}
