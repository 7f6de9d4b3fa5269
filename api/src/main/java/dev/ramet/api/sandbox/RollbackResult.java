// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.sandbox;

/**
 * The result of a rollback. Immutable and thread-safe.
 *
 * @param sandboxID the sandbox, running again
 * @param snapshotID the snapshot it was rolled back to
 * @param operationID id of the operation in the host's log
 * @param status {@code READY}
 * @param totalMs milliseconds from the request until the agent responded
 */
public record RollbackResult(
    String sandboxID, String snapshotID, String operationID, String status, double totalMs) {}
