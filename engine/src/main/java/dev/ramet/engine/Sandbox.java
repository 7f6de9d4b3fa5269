// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A sandbox as it is now.
 *
 * @param id stable id
 * @param state what it is doing
 * @param stateDetail why, for a failed one
 * @param templateId what it was created from: a template's or snapshot's id
 * @param templateName that template's name, or null
 * @param parentId the sandbox it was cloned from, or null
 * @param cpuCount virtual CPUs
 * @param memoryBytes guest memory
 * @param diskBytes virtual size of its disk
 * @param metadata the creator's own key-value pairs
 * @param startedAt when it was created
 * @param endAt when its time is over, or null for never; for a paused one, when it was paused
 * @param hypervisorPid the hypervisor's process, or null when none runs
 * @param outbound whether it may open connections
 * @param memoryMode id of the only memory mode for captures of it, or null to choose
 * @param rules what its creator wants of its life
 * @param accessToken what its agent wants in {@code X-Access-Token}, or null for nothing
 * @param trafficToken what requests to its other ports have to bring, or null for nothing
 * @param agent whether its agent can tell the host from others
 */
public record Sandbox(
    String id,
    State state,
    @Nullable String stateDetail,
    String templateId,
    @Nullable String templateName,
    @Nullable String parentId,
    int cpuCount,
    long memoryBytes,
    long diskBytes,
    Map<String, String> metadata,
    Instant startedAt,
    @Nullable Instant endAt,
    @Nullable Long hypervisorPid,
    boolean outbound,
    @Nullable String memoryMode,
    SandboxRules rules,
    @Nullable String accessToken,
    @Nullable String trafficToken,
    Agent agent) {
  /** The TCP port in every guest at which its agent listens. */
  public static final int AGENT_PORT = 49_983;

  /** Whether a guest's agent can tell the host from others who reach its port. */
  public enum Agent {
    /** There is no agent. */
    NONE,
    /**
     * It cannot: whoever reaches its port, such as any user of the host, can take the machine over.
     * It comes out of a template of before there was a secret, or is another vendor's.
     */
    UNAUTHENTICATED,
    /** It demands the machine's secret for all that only the host may do. */
    AUTHENTICATED
  }

  /** Where a sandbox is in its life. */
  public enum State {
    /** Being started. */
    CREATING,
    /** Executing. */
    RUNNING,
    /** Stopped, with what it takes to go on. */
    PAUSED,
    /** Its machine died; what is left is kept until it is killed. */
    FAILED
  }
}
