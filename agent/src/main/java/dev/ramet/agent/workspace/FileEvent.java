// SPDX-License-Identifier: Apache-2.0
package dev.ramet.agent.workspace;

import org.jspecify.annotations.Nullable;

/**
 * Something that happened to a path, as the guest's kernel told the agent.
 *
 * @param number 1, 2, …; it begins at 1 again when the agent's server of workspaces restarts
 * @param timeNanos when the agent learned of it, in nanoseconds since 1970 by the guest's clock
 * @param action {@code created}, {@code modified}, {@code metadata}, {@code deleted}, {@code
 *     renamed}, or {@code lost} for any number of events that nobody saw
 * @param path null for lost events
 * @param from the earlier path of a renamed entry, or null
 * @param sizeBytes size of a file at that time, or 0
 * @param directory whether it is a directory
 */
public record FileEvent(
    long number,
    long timeNanos,
    String action,
    @Nullable GuestPath path,
    @Nullable GuestPath from,
    long sizeBytes,
    boolean directory) {}
