// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.sandbox;

import dev.ramet.api.volume.VolumeMountInfo;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request for a sandbox: the body of {@code POST /sandboxes} and {@code POST /v2/sandboxes}.
 * Immutable and thread-safe as far as its maps are.
 *
 * @param templateID id or name of a template or snapshot, optionally followed by {@code :tag};
 *     required
 * @param timeout seconds until it is killed by itself; -1 for never, null for 300
 * @param metadata the creator's own key-value pairs, or null for none
 * @param envVars environment of every process the agent starts, or null for none
 * @param cpuCount virtual CPUs, 1 to 32, or null for the template's; another value means a cold
 *     boot
 * @param memoryMB guest memory in MiB, 64 to 65536, or null for the template's; another value means
 *     a cold boot
 * @param diskSizeMB virtual size of the disk in MiB, or null for the template's; a larger one needs
 *     a cold boot, and no disk becomes smaller
 * @param allow_internet_access whether it may open connections, or null for the host's default
 * @param memoryMode the only memory mode for captures of it, or null to have the best one chosen
 * @param secure whether its agent wants an access token; null for what the path says: yes below
 *     {@code /v2}, else no
 * @param autoPause whether it is paused rather than killed when its time is over, or null for no
 * @param autoPauseMemory whether such a pause keeps the memory, or null for yes
 * @param autoResume whether a request to the paused sandbox wakes it, or null for no
 * @param lifecycle another way to say autoPause and autoResume, or null
 * @param network which addresses it reaches, or null for all that its host lets guests reach
 * @param volumeMounts which volumes it sees and where, 16 at most, or null for none
 */
@SuppressWarnings("MemberName") // allow_internet_access is spelled so on the wire
public record CreateSandbox(
    @Nullable String templateID,
    @Nullable Integer timeout,
    @Nullable Map<String, String> metadata,
    @Nullable Map<String, String> envVars,
    @Nullable Integer cpuCount,
    @Nullable Integer memoryMB,
    @Nullable Integer diskSizeMB,
    @Nullable Boolean allow_internet_access,
    @Nullable String memoryMode,
    @Nullable Boolean secure,
    @Nullable Boolean autoPause,
    @Nullable Boolean autoPauseMemory,
    @Nullable AutoResume autoResume,
    @Nullable Lifecycle lifecycle,
    @Nullable NetworkSettings network,
    @Nullable List<@Nullable VolumeMountInfo> volumeMounts) {
  /**
   * Whether a request to a paused sandbox wakes it.
   *
   * @param enabled true for yes; null for no
   */
  public record AutoResume(@Nullable Boolean enabled) {}

  /** A sandbox without volumes. */
  public CreateSandbox(
      @Nullable String templateID,
      @Nullable Integer timeout,
      @Nullable Map<String, String> metadata,
      @Nullable Map<String, String> envVars,
      @Nullable Integer cpuCount,
      @Nullable Integer memoryMB,
      @Nullable Integer diskSizeMB,
      @Nullable Boolean allow_internet_access,
      @Nullable String memoryMode,
      @Nullable Boolean secure,
      @Nullable Boolean autoPause,
      @Nullable Boolean autoPauseMemory,
      @Nullable AutoResume autoResume,
      @Nullable Lifecycle lifecycle,
      @Nullable NetworkSettings network) {
    this(
        templateID,
        timeout,
        metadata,
        envVars,
        cpuCount,
        memoryMB,
        diskSizeMB,
        allow_internet_access,
        memoryMode,
        secure,
        autoPause,
        autoPauseMemory,
        autoResume,
        lifecycle,
        network,
        null);
  }

  /** A sandbox that reaches all that its host lets guests reach. */
  public CreateSandbox(
      @Nullable String templateID,
      @Nullable Integer timeout,
      @Nullable Map<String, String> metadata,
      @Nullable Map<String, String> envVars,
      @Nullable Integer cpuCount,
      @Nullable Integer memoryMB,
      @Nullable Integer diskSizeMB,
      @Nullable Boolean allow_internet_access,
      @Nullable String memoryMode,
      @Nullable Boolean secure,
      @Nullable Boolean autoPause,
      @Nullable Boolean autoPauseMemory,
      @Nullable AutoResume autoResume,
      @Nullable Lifecycle lifecycle) {
    this(
        templateID,
        timeout,
        metadata,
        envVars,
        cpuCount,
        memoryMB,
        diskSizeMB,
        allow_internet_access,
        memoryMode,
        secure,
        autoPause,
        autoPauseMemory,
        autoResume,
        lifecycle,
        null);
  }

  /** A sandbox with the template's disk. */
  public CreateSandbox(
      @Nullable String templateID,
      @Nullable Integer timeout,
      @Nullable Map<String, String> metadata,
      @Nullable Map<String, String> envVars,
      @Nullable Integer cpuCount,
      @Nullable Integer memoryMB,
      @Nullable Boolean allow_internet_access,
      @Nullable String memoryMode,
      @Nullable Boolean secure,
      @Nullable Boolean autoPause,
      @Nullable Boolean autoPauseMemory,
      @Nullable AutoResume autoResume,
      @Nullable Lifecycle lifecycle) {
    this(
        templateID,
        timeout,
        metadata,
        envVars,
        cpuCount,
        memoryMB,
        null,
        allow_internet_access,
        memoryMode,
        secure,
        autoPause,
        autoPauseMemory,
        autoResume,
        lifecycle);
  }

  /** A sandbox that is killed at its end and whose agent wants no token. */
  public CreateSandbox(
      @Nullable String templateID,
      @Nullable Integer timeout,
      @Nullable Map<String, String> metadata,
      @Nullable Map<String, String> envVars,
      @Nullable Integer cpuCount,
      @Nullable Integer memoryMB,
      @Nullable Integer diskSizeMB,
      @Nullable Boolean allow_internet_access,
      @Nullable String memoryMode) {
    this(
        templateID,
        timeout,
        metadata,
        envVars,
        cpuCount,
        memoryMB,
        diskSizeMB,
        allow_internet_access,
        memoryMode,
        null,
        null,
        null,
        null,
        null);
  }

  /** Such a sandbox with the template's disk. */
  public CreateSandbox(
      @Nullable String templateID,
      @Nullable Integer timeout,
      @Nullable Map<String, String> metadata,
      @Nullable Map<String, String> envVars,
      @Nullable Integer cpuCount,
      @Nullable Integer memoryMB,
      @Nullable Boolean allow_internet_access,
      @Nullable String memoryMode) {
    this(
        templateID,
        timeout,
        metadata,
        envVars,
        cpuCount,
        memoryMB,
        null,
        allow_internet_access,
        memoryMode);
  }
}
