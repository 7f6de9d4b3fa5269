// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.sandbox;

import dev.ramet.api.volume.VolumeMountInfo;
import java.util.List;
import java.util.Map;
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
 * @param domain domain under which {@code <port>-<sandboxID>.<domain>} reaches the guest, or null
 * @param startedAt when it was created
 * @param endAt when its timeout expires, or null for never; for a paused sandbox, when it was
 *     paused
 * @param state {@code creating}, {@code running}, {@code paused} or {@code failed}
 * @param stateDetail why it failed, or null
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
    @Nullable String agent) {
  /** Creates a sandbox without volumes. */
  public SandboxInfo(
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
      @Nullable String trafficAccessToken) {
    this(
        sandboxID,
        templateID,
        alias,
        clientID,
        envdVersion,
        envdAccessToken,
        domain,
        startedAt,
        endAt,
        state,
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
        null,
        null);
  }

  /** Creates a sandbox without network rules or volumes. */
  public SandboxInfo(
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
      @Nullable String memoryMode) {
    this(
        sandboxID,
        templateID,
        alias,
        clientID,
        envdVersion,
        envdAccessToken,
        domain,
        startedAt,
        endAt,
        state,
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
        null,
        null);
  }
}
