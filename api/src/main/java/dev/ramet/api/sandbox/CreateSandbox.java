// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.sandbox;

import dev.ramet.api.volume.VolumeMountInfo;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request for a new sandbox: the body of {@code POST /sandboxes} and {@code POST /v2/sandboxes}.
 * Immutable and thread-safe if its maps are.
 *
 * @param templateID id or name of a template or snapshot, optionally followed by {@code :tag};
 *     required
 * @param timeout seconds until the sandbox is killed; -1 for never, null for 300
 * @param metadata key-value pairs of the creator, or null for none
 * @param envVars environment variables of every process the agent starts, or null for none
 * @param cpuCount virtual CPUs, 1 to 32, or null for the template's; another value forces a cold
 *     boot
 * @param memoryMB guest memory in MiB, 64 to 65536, or null for the template's; another value
 *     forces a cold boot
 * @param diskSizeMB virtual size of the disk in MiB, or null for the template's; a larger one
 *     forces a cold boot, and a disk cannot shrink
 * @param allow_internet_access whether it may open connections, or null for the host's default
 * @param memoryMode the only memory mode for its captures, or null to use the best one
 * @param secure whether its agent requires an access token; null for the default of the path: yes
 *     below {@code /v2}, otherwise no
 * @param autoPause whether it is paused rather than killed when its timeout expires, or null for no
 * @param autoPauseMemory whether such a pause keeps the memory, or null for yes
 * @param autoResume whether a request to the paused sandbox resumes it, or null for no
 * @param lifecycle an alternative form of autoPause and autoResume, or null
 * @param network which addresses it can reach, or null for all that its host lets guests reach
 * @param volumeMounts the volumes it mounts and where, 16 at most, or null for none
 */
@SuppressWarnings("MemberName") // the wire format spells it allow_internet_access
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
   * Whether a request to a paused sandbox resumes it.
   *
   * @param enabled true for yes; null for no
   */
  public record AutoResume(@Nullable Boolean enabled) {}

  /** Creates a request without volumes. */
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

  /**
   * Creates a request without network rules or volumes: the sandbox reaches all that its host lets
   * guests reach.
   */
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

  /** Creates a request that keeps the template's disk size. */
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

  /**
   * Creates a request for a sandbox that is killed when its timeout expires; the path decides
   * whether its agent requires a token.
   */
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

  /**
   * Creates a request for a sandbox with the template's disk size that is killed when its timeout
   * expires.
   */
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
