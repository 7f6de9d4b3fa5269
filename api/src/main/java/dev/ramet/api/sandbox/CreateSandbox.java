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
 * @param memoryMB guest memory in MiB, at least 64 and no more than the host has, or null for the
 *     template's; another value forces a cold boot
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
 * @param name a name that no other sandbox of the host has, accepted wherever its id is; 1 to 57
 *     characters of a-z 0-9 -, or null for none
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
    @Nullable List<@Nullable VolumeMountInfo> volumeMounts,
    @Nullable String name) {
  /**
   * Whether a request to a paused sandbox resumes it.
   *
   * @param enabled true for yes; null for no
   */
  public record AutoResume(@Nullable Boolean enabled) {}

  /** Returns an empty builder. */
  public static Builder builder() {
    return new Builder();
  }

  /** Returns a builder with the components of this record. */
  public Builder toBuilder() {
    return new Builder()
        .templateID(templateID)
        .timeout(timeout)
        .metadata(metadata)
        .envVars(envVars)
        .cpuCount(cpuCount)
        .memoryMB(memoryMB)
        .diskSizeMB(diskSizeMB)
        .allow_internet_access(allow_internet_access)
        .memoryMode(memoryMode)
        .secure(secure)
        .autoPause(autoPause)
        .autoPauseMemory(autoPauseMemory)
        .autoResume(autoResume)
        .lifecycle(lifecycle)
        .network(network)
        .volumeMounts(volumeMounts)
        .name(name);
  }

  /**
   * Takes the components by name. Numbers, collections and components that may be null need not be
   * set; {@link #build} fails without any of the others.
   */
  public static final class Builder {
    private @Nullable String templateID;
    private @Nullable Integer timeout;
    private @Nullable Map<String, String> metadata;
    private @Nullable Map<String, String> envVars;
    private @Nullable Integer cpuCount;
    private @Nullable Integer memoryMB;
    private @Nullable Integer diskSizeMB;
    private @Nullable Boolean allow_internet_access;
    private @Nullable String memoryMode;
    private @Nullable Boolean secure;
    private @Nullable Boolean autoPause;
    private @Nullable Boolean autoPauseMemory;
    private @Nullable AutoResume autoResume;
    private @Nullable Lifecycle lifecycle;
    private @Nullable NetworkSettings network;
    private @Nullable List<@Nullable VolumeMountInfo> volumeMounts;
    private @Nullable String name;

    private Builder() {}

    public Builder templateID(@Nullable String value) {
      templateID = value;
      return this;
    }

    public Builder timeout(@Nullable Integer value) {
      timeout = value;
      return this;
    }

    public Builder metadata(@Nullable Map<String, String> value) {
      metadata = value;
      return this;
    }

    public Builder envVars(@Nullable Map<String, String> value) {
      envVars = value;
      return this;
    }

    public Builder cpuCount(@Nullable Integer value) {
      cpuCount = value;
      return this;
    }

    public Builder memoryMB(@Nullable Integer value) {
      memoryMB = value;
      return this;
    }

    public Builder diskSizeMB(@Nullable Integer value) {
      diskSizeMB = value;
      return this;
    }

    public Builder allow_internet_access(@Nullable Boolean value) {
      allow_internet_access = value;
      return this;
    }

    public Builder memoryMode(@Nullable String value) {
      memoryMode = value;
      return this;
    }

    public Builder secure(@Nullable Boolean value) {
      secure = value;
      return this;
    }

    public Builder autoPause(@Nullable Boolean value) {
      autoPause = value;
      return this;
    }

    public Builder autoPauseMemory(@Nullable Boolean value) {
      autoPauseMemory = value;
      return this;
    }

    public Builder autoResume(@Nullable AutoResume value) {
      autoResume = value;
      return this;
    }

    public Builder lifecycle(@Nullable Lifecycle value) {
      lifecycle = value;
      return this;
    }

    public Builder network(@Nullable NetworkSettings value) {
      network = value;
      return this;
    }

    public Builder volumeMounts(@Nullable List<@Nullable VolumeMountInfo> value) {
      volumeMounts = value;
      return this;
    }

    public Builder name(@Nullable String value) {
      name = value;
      return this;
    }

    /** Returns a record of the components. */
    public CreateSandbox build() {
      return new CreateSandbox(
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
          volumeMounts,
          name);
    }
  }
}
