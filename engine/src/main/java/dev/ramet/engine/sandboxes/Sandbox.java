// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.sandboxes;

import dev.ramet.engine.Shape;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The current state of a sandbox.
 *
 * @param id stable id
 * @param status where it is in its life
 * @param origin the template and sandbox it was made from
 * @param shape its size
 * @param label its name and labels
 * @param lifetime when it began and ends
 * @param memoryMode id of the only memory mode for captures of it, or null to choose
 * @param access its rules and tokens
 */
public record Sandbox(
    String id,
    Status status,
    Origin origin,
    Shape shape,
    Label label,
    Lifetime lifetime,
    @Nullable String memoryMode,
    Access access) {
  /**
   * Where a sandbox is in its life.
   *
   * @param state the state
   * @param detail why it failed, or since when its hypervisor does not answer; or null
   * @param hypervisorPid process id of the hypervisor, or null when none runs
   * @param standstill why it stands still although it runs, or null
   */
  public record Status(
      State state,
      @Nullable String detail,
      @Nullable Long hypervisorPid,
      @Nullable Standstill standstill) {
    /** Creates the status of a sandbox that does not stand still. */
    public Status(State state, @Nullable String detail, @Nullable Long hypervisorPid) {
      this(state, detail, hypervisorPid, null);
    }
  }

  /**
   * The name and the labels of a sandbox, which callers choose and may change.
   *
   * @param name a name that no other sandbox of the host has and that is accepted instead of the
   *     id, or null
   * @param metadata key-value pairs
   */
  public record Label(@Nullable String name, Map<String, String> metadata) {
    /** No name and no labels. */
    public static final Label NONE = new Label(null, Map.of());

    /** Copies the map. */
    public Label {
      metadata = Map.copyOf(metadata);
    }
  }

  /**
   * The template and the sandbox that a sandbox was made from.
   *
   * @param templateId id of the template or snapshot it was created from
   * @param templateName that template's name, or null
   * @param parentId the sandbox it was cloned from, or null
   */
  public record Origin(
      String templateId, @Nullable String templateName, @Nullable String parentId) {}

  /**
   * When a sandbox began and ends.
   *
   * @param startedAt when it was created
   * @param endAt when its time is over, or null for never; for a paused sandbox, when it was paused
   */
  public record Lifetime(Instant startedAt, @Nullable Instant endAt) {}

  /**
   * The rules of a sandbox and the tokens that reach it.
   *
   * @param outbound whether it may open connections
   * @param rules its lifetime, access and network rules
   * @param token the token its agent requires in {@code X-Access-Token}, or null for none
   * @param trafficToken the token that requests to its other ports must carry, or null for none
   * @param agent whether its agent accepts the host's own calls from the host only
   */
  public record Access(
      boolean outbound,
      SandboxRules rules,
      @Nullable String token,
      @Nullable String trafficToken,
      Agent agent) {}

  /** Returns this part of {@link #status}. */
  public State state() {
    return status.state();
  }

  /** Returns this part of {@link #status}. */
  public @Nullable String stateDetail() {
    return status.detail();
  }

  /** Returns this part of {@link #status}. */
  public @Nullable Long hypervisorPid() {
    return status.hypervisorPid();
  }

  /** Returns this part of {@link #label}. */
  public @Nullable String name() {
    return label.name();
  }

  /** Returns this part of {@link #label}. */
  public Map<String, String> metadata() {
    return label.metadata();
  }

  /** Returns this part of {@link #status}. */
  public @Nullable Standstill standstill() {
    return status.standstill();
  }

  /** Returns this part of {@link #origin}. */
  public String templateId() {
    return origin.templateId();
  }

  /** Returns this part of {@link #origin}. */
  public @Nullable String templateName() {
    return origin.templateName();
  }

  /** Returns this part of {@link #origin}. */
  public @Nullable String parentId() {
    return origin.parentId();
  }

  /** Returns this part of {@link #shape}. */
  public int cpuCount() {
    return shape.cpuCount();
  }

  /** Returns this part of {@link #shape}. */
  public long memoryBytes() {
    return shape.memoryBytes();
  }

  /** Returns this part of {@link #shape}. */
  public long diskBytes() {
    return shape.diskBytes();
  }

  /** Returns this part of {@link #lifetime}. */
  public Instant startedAt() {
    return lifetime.startedAt();
  }

  /** Returns this part of {@link #lifetime}. */
  public @Nullable Instant endAt() {
    return lifetime.endAt();
  }

  /** Returns this part of {@link #access}. */
  public boolean outbound() {
    return access.outbound();
  }

  /** Returns this part of {@link #access}. */
  public SandboxRules rules() {
    return access.rules();
  }

  /** Returns this part of {@link #access}. */
  public @Nullable String accessToken() {
    return access.token();
  }

  /** Returns this part of {@link #access}. */
  public @Nullable String trafficToken() {
    return access.trafficToken();
  }

  /** Returns this part of {@link #access}. */
  public Agent agent() {
    return access.agent();
  }

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
