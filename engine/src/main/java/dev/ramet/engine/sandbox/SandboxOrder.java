// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.sandbox;

import dev.ramet.engine.sandboxes.SandboxRules;
import dev.ramet.engine.state.SnapshotRecord;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A sandbox to start.
 *
 * @param id its id
 * @param operation prefix of the step names reported to the observer
 * @param source the snapshot or template it starts from; pinned by the caller
 * @param sourceId the source's id as users see it: a clone has a hidden source
 * @param sourceName the source's name, or null
 * @param cpuCount virtual CPUs
 * @param memoryBytes guest memory
 * @param diskBytes virtual size of its disk, at least the source's
 * @param parentId the sandbox it is cloned from, or null
 * @param metadata the creator's key-value pairs
 * @param environment default environment of its processes
 * @param timeout time after which it ends, or null for never
 * @param outbound whether it may open connections
 * @param memoryMode id of the only memory mode for its captures, or null to choose
 * @param rules the creator's rules for its end, network and volumes
 * @param hidden whether it belongs to an operation and is never listed
 */
public record SandboxOrder(
    String id,
    String operation,
    SnapshotRecord source,
    String sourceId,
    @Nullable String sourceName,
    int cpuCount,
    long memoryBytes,
    long diskBytes,
    @Nullable String parentId,
    Map<String, String> metadata,
    Map<String, String> environment,
    @Nullable Duration timeout,
    boolean outbound,
    @Nullable String memoryMode,
    SandboxRules rules,
    boolean hidden) {}
