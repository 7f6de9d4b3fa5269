// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.sandbox;

/**
 * What a rollback did. Immutable and thread-safe.
 *
 * @param sandboxID the sandbox, running again
 * @param snapshotID where it is now
 * @param operationID names the operation in the host's log
 * @param status {@code READY}
 * @param totalMs milliseconds from the request to the agent's answer
 */
public record RollbackResult(
    String sandboxID, String snapshotID, String operationID, String status, double totalMs) {}
