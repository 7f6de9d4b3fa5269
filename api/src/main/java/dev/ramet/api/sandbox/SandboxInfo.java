// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.sandbox;

import dev.ramet.api.volume.VolumeMountInfo;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A sandbox, in the one form that create, connect, list and detail return. Times are RFC 3339 in
 * UTC, sizes are in MiB. Immutable and thread-safe if its maps are.
 *
 * @param sandboxID stable id
 * @param templateID id of the template or snapshot it was created from
 * @param alias that template's name, or null
 * @param clientID the host that runs it; clients of the E2B protocol require one
 * @param envdVersion version of the guest agent's protocol, which clients use to choose their calls
 * @param envdAccessToken the token its agent requires in {@code X-Access-Token}; null if it
 *     requires none, and in lists
 * @param domain domain under which {@code <port>-<sandboxID>.<domain>} reaches the guest: {@code
 *     ramet.domain}, else {@code localhost} with the host's port
 * @param startedAt when it was created
 * @param endAt when its timeout expires, or null for never; for a paused sandbox, when it was
 *     paused
 * @param state {@code creating}, {@code running}, {@code paused} or {@code failed}
 * @param stateDetail why it failed or stands still, and then what to do; or since when its
 *     hypervisor has not answered; or null
 * @param cpuCount virtual CPUs
 * @param memoryMB guest memory
 * @param diskSizeMB virtual size of its disk
 * @param metadata key-value pairs of the creator
 * @param lifecycle what happens when its timeout expires
 * @param parentID the sandbox it was cloned from, or null
 * @param hypervisorPid process id of its VMM on the host, or null when none runs
 * @param allowInternetAccess whether it may open connections
 * @param memoryMode the only memory mode for its captures, or null to use the best one
 * @param network which addresses it can reach and how its ports are reached, or null for no rules
 * @param trafficAccessToken the token that requests to its ports, except the agent's, need in
 *     {@code E2b-Traffic-Access-Token}; null if they need none, and in lists
 * @param volumeMounts the volumes it mounts and where, or null for none
 * @param agent {@code authenticated} when its agent accepts calls reserved for the host from the
 *     host only, {@code unauthenticated} when any user of the host can impersonate the host to it;
 *     null without an agent
 * @param name a name that no other sandbox of the host has, accepted wherever its id is, or null
 * @param standstill why a running sandbox stands still: {@code no-space} when a file system of the
 *     host is full, {@code disk-error} when its disk failed there; null when it does not. It goes
 *     on by itself
 * @param warnings in the response to the request that made it, sentences about possible trouble;
 *     else null
 */
public record SandboxInfo(
    String sandboxID,
    String templateID,
    @Nullable String alias,
    String clientID,
    String envdVersion,
    @Nullable String envdAccessToken,
    @Nullable String domain,
    String startedAt,
    @Nullable String endAt,
    String state,
    @Nullable String stateDetail,
    int cpuCount,
    long memoryMB,
    long diskSizeMB,
    Map<String, String> metadata,
    @Nullable Lifecycle lifecycle,
    @Nullable String parentID,
    @Nullable Long hypervisorPid,
    @Nullable Boolean allowInternetAccess,
    @Nullable String memoryMode,
    @Nullable NetworkSettings network,
    @Nullable String trafficAccessToken,
    @Nullable List<VolumeMountInfo> volumeMounts,
    @Nullable String agent,
    @Nullable String name,
    @Nullable String standstill,
    @Nullable List<String> warnings) {
  /** Returns an empty builder. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Takes the components by name. Numbers, collections and components that may be null need not be
   * set; {@link #build} fails without any of the others.
   */
  public static final class Builder {
    private @Nullable String sandboxID;
    private @Nullable String templateID;
    private @Nullable String alias;
    private @Nullable String clientID;
    private @Nullable String envdVersion;
    private @Nullable String envdAccessToken;
    private @Nullable String domain;
    private @Nullable String startedAt;
    private @Nullable String endAt;
    private @Nullable String state;
    private @Nullable String stateDetail;
    private int cpuCount;
    private long memoryMB;
    private long diskSizeMB;
    private Map<String, String> metadata = Map.of();
    private @Nullable Lifecycle lifecycle;
    private @Nullable String parentID;
    private @Nullable Long hypervisorPid;
    private @Nullable Boolean allowInternetAccess;
    private @Nullable String memoryMode;
    private @Nullable NetworkSettings network;
    private @Nullable String trafficAccessToken;
    private @Nullable List<VolumeMountInfo> volumeMounts;
    private @Nullable String agent;
    private @Nullable String name;
    private @Nullable String standstill;
    private @Nullable List<String> warnings;

    private Builder() {}

    public Builder sandboxID(String value) {
      sandboxID = value;
      return this;
    }

    public Builder templateID(String value) {
      templateID = value;
      return this;
    }

    public Builder alias(@Nullable String value) {
      alias = value;
      return this;
    }

    public Builder clientID(String value) {
      clientID = value;
      return this;
    }

    public Builder envdVersion(String value) {
      envdVersion = value;
      return this;
    }

    public Builder envdAccessToken(@Nullable String value) {
      envdAccessToken = value;
      return this;
    }

    public Builder domain(@Nullable String value) {
      domain = value;
      return this;
    }

    public Builder startedAt(String value) {
      startedAt = value;
      return this;
    }

    public Builder endAt(@Nullable String value) {
      endAt = value;
      return this;
    }

    public Builder state(String value) {
      state = value;
      return this;
    }

    public Builder stateDetail(@Nullable String value) {
      stateDetail = value;
      return this;
    }

    public Builder cpuCount(int value) {
      cpuCount = value;
      return this;
    }

    public Builder memoryMB(long value) {
      memoryMB = value;
      return this;
    }

    public Builder diskSizeMB(long value) {
      diskSizeMB = value;
      return this;
    }

    public Builder metadata(Map<String, String> value) {
      metadata = value;
      return this;
    }

    public Builder lifecycle(@Nullable Lifecycle value) {
      lifecycle = value;
      return this;
    }

    public Builder parentID(@Nullable String value) {
      parentID = value;
      return this;
    }

    public Builder hypervisorPid(@Nullable Long value) {
      hypervisorPid = value;
      return this;
    }

    public Builder allowInternetAccess(@Nullable Boolean value) {
      allowInternetAccess = value;
      return this;
    }

    public Builder memoryMode(@Nullable String value) {
      memoryMode = value;
      return this;
    }

    public Builder network(@Nullable NetworkSettings value) {
      network = value;
      return this;
    }

    public Builder trafficAccessToken(@Nullable String value) {
      trafficAccessToken = value;
      return this;
    }

    public Builder volumeMounts(@Nullable List<VolumeMountInfo> value) {
      volumeMounts = value;
      return this;
    }

    public Builder agent(@Nullable String value) {
      agent = value;
      return this;
    }

    public Builder name(@Nullable String value) {
      name = value;
      return this;
    }

    public Builder standstill(@Nullable String value) {
      standstill = value;
      return this;
    }

    public Builder warnings(@Nullable List<String> value) {
      warnings = value;
      return this;
    }

    /** Returns a record of the components. */
    public SandboxInfo build() {
      return new SandboxInfo(
          Objects.requireNonNull(sandboxID, "sandboxID"),
          Objects.requireNonNull(templateID, "templateID"),
          alias,
          Objects.requireNonNull(clientID, "clientID"),
          Objects.requireNonNull(envdVersion, "envdVersion"),
          envdAccessToken,
          domain,
          Objects.requireNonNull(startedAt, "startedAt"),
          endAt,
          Objects.requireNonNull(state, "state"),
          stateDetail,
          cpuCount,
          memoryMB,
          diskSizeMB,
          metadata,
          lifecycle,
          parentID,
          hypervisorPid,
          allowInternetAccess,
          memoryMode,
          network,
          trafficAccessToken,
          volumeMounts,
          agent,
          name,
          standstill,
          warnings);
    }
  }
}
