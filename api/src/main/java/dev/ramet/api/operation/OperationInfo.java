// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.operation;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Something a host does or did, and how far it is. Times are RFC 3339 in UTC. Immutable and
 * thread-safe as far as its list is.
 *
 * @param operationID its id, which the host's log names too
 * @param kind what is done, such as {@code sandbox.clone}
 * @param subject the id or name of what it is done to
 * @param state {@code running}, {@code done}, {@code failed} or {@code cancelled}
 * @param startedAt when it began
 * @param endedAt when it ended, or null while it runs
 * @param step what it is doing, or did last; null for what does not say
 * @param doneBytes how much is copied, or null for what copies nothing
 * @param totalBytes how much there is to copy, or null
 * @param cancellable whether it can be cancelled while it runs
 * @param results ids of what it made
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
