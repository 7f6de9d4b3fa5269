// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.sandbox;

import dev.ramet.api.volume.VolumeMountInfo;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A sandbox, as answered by create, connect, list and detail alike. Times are RFC 3339 in UTC,
 * sizes are in MiB. Immutable and thread-safe as far as its maps are.
 *
 * @param sandboxID stable id
 * @param templateID what it was created from: a template's or snapshot's id
 * @param alias that template's name, or null
 * @param clientID the host that runs it; clients of the E2B protocol want one
 * @param envdVersion version of the guest agent's protocol, by which clients choose what to call
 * @param envdAccessToken what its agent wants in {@code X-Access-Token}; null for nothing, and in
 *     lists
 * @param domain domain under which {@code <port>-<sandboxID>.<domain>} reaches the guest, or null
 * @param startedAt when it was created
 * @param endAt when its time is over, or null for never; for a paused one, when it was paused
 * @param state {@code creating}, {@code running}, {@code paused} or {@code failed}
 * @param stateDetail why, for a failed one
 * @param cpuCount virtual CPUs
 * @param memoryMB guest memory
 * @param diskSizeMB virtual size of its disk
 * @param metadata the creator's own key-value pairs
 * @param lifecycle what becomes of it at its end
 * @param parentID the sandbox it was cloned from, or null
 * @param hypervisorPid the hypervisor's process on the host, or null when none runs
 * @param allowInternetAccess whether it may open connections
 * @param memoryMode the only memory mode for captures of it, or null to have the best one chosen
 * @param network which addresses it reaches and how its ports are reached, or null for no rules
 * @param trafficAccessToken what requests to its ports want in {@code E2b-Traffic-Access-Token},
 *     but for the agent's; null for nothing, and in lists
 * @param volumeMounts which volumes it sees and where, or null for none
 * @param agent {@code authenticated} when its agent serves only the host where only the host may
 *     call, {@code unauthenticated} when any user of the host can pretend to be it; null without an
 *     agent
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
  /** A sandbox without volumes. */
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

  /** A sandbox without rules for its network. */
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
