// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.operation;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An operation that the host runs or ran, with its progress. Times are RFC 3339 in UTC. Immutable
 * and thread-safe if its list is.
 *
 * @param operationID its id, which also appears in the host's log
 * @param kind the kind of operation, such as {@code sandbox.clone}
 * @param subject id or name of the object it works on
 * @param state {@code running}, {@code done}, {@code failed} or {@code cancelled}
 * @param startedAt when it began
 * @param endedAt when it ended, or null while it runs
 * @param step the current or last step; null for operations that do not report steps
 * @param doneBytes bytes copied so far; null for operations that copy nothing
 * @param totalBytes bytes to copy in total, or null
 * @param cancellable whether it can be cancelled while it runs
 * @param results ids of the objects it created
 * @param error why it failed or was cancelled, or null
 */
public record OperationInfo(
    String operationID,
    String kind,
    String subject,
    String state,
    String startedAt,
    @Nullable String endedAt,
    @Nullable String step,
    @Nullable Long doneBytes,
    @Nullable Long totalBytes,
    boolean cancellable,
    List<String> results,
    @Nullable ApiError error) {}
