// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.sandboxes;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The current state of a sandbox.
 *
 * @param id stable id
 * @param state where it is in its life
 * @param stateDetail why it failed, or null
 * @param templateId id of the template or snapshot it was created from
 * @param templateName that template's name, or null
 * @param parentId the sandbox it was cloned from, or null
 * @param cpuCount virtual CPUs
 * @param memoryBytes guest memory
 * @param diskBytes virtual size of its disk
 * @param metadata the creator's own key-value pairs
 * @param startedAt when it was created
 * @param endAt when its time is over, or null for never; for a paused sandbox, when it was paused
 * @param hypervisorPid process id of the hypervisor, or null when none runs
 * @param outbound whether it may open connections
 * @param memoryMode id of the only memory mode for captures of it, or null to choose
 * @param rules its lifetime, access and network rules
 * @param accessToken the token its agent requires in {@code X-Access-Token}, or null for none
 * @param trafficToken the token that requests to its other ports must carry, or null for none
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
  /** The TCP port on which the agent listens in every guest. */
  public static final int AGENT_PORT = 49_983;

  /** Whether a guest's agent can tell the host from others who reach its port. */
  public enum Agent {
    /** There is no agent. */
    NONE,
    /**
     * It cannot: anyone who reaches its port, such as any user of the host, can take over the
     * machine. The agent comes from a template older than agent secrets, or from another vendor.
     */
    UNAUTHENTICATED,
    /** It requires the machine's secret for everything that only the host may do. */
    AUTHENTICATED
  }

  /** Where a sandbox is in its life. */
  public enum State {
    /** It is being started. */
    CREATING,
    /** It runs. */
    RUNNING,
    /** It is stopped and can be resumed. */
    PAUSED,
    /** Its machine died; its remains are kept until it is killed. */
    FAILED
  }
}
