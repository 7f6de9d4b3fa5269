// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.state;

import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.sandboxes.SandboxRules;
import dev.ramet.spi.hypervisor.VmIdentity;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The manifest of a sandbox.
 *
 * @param id its id, also the name of its directory
 * @param state where it is in its life
 * @param detail why it failed, or null
 * @param hidden whether it belongs to an operation and is never shown; after a crash it is removed
 * @param sourceId the template or snapshot it was created from
 * @param sourceName the source's name, or null
 * @param parentId the sandbox it was cloned from, or null
 * @param name a name that no other sandbox of the root has, or null
 * @param metadata key-value pairs that callers set
 * @param startedAt when it was created
 * @param endAt when its time is over, or null for never
 * @param outbound whether it may open connections
 * @param memoryMode id of the only memory mode for captures of it, or null to choose
 * @param diskBytes virtual size of its disk
 * @param agentPort the guest agent's port, or null
 * @param terms its rules, tokens, timeout and environment
 * @param machine the machine it runs on; for a paused one, its last machine
 */
public record SandboxRecord(
    String id,
    State state,
    @Nullable String detail,
    boolean hidden,
    String sourceId,
    @Nullable String sourceName,
    @Nullable String parentId,
    @Nullable String name,
    Map<String, String> metadata,
    Instant startedAt,
    @Nullable Instant endAt,
    boolean outbound,
    @Nullable String memoryMode,
    long diskBytes,
    @Nullable Integer agentPort,
    @Nullable Terms terms,
    Machine machine) {
  /** Where a sandbox is in its life, as persisted. */
  public enum State {
    /** Intent: its machine is being started; after a crash it is removed. */
    CREATING,
    /** Its creation is acknowledged. */
    RUNNING,
    /** Its machine is gone; {@link Machine#memoryBase} names the snapshot it resumes from. */
    PAUSED,
    /** Its machine died. */
    FAILED,
    /** Intent: it is being removed; after a crash the removal is completed. */
    KILLED
  }

  /**
   * One machine of a sandbox.
   *
   * @param number increases with each new machine, such as after a rollback; part of the names of
   *     its directory and disk
   * @param cpuCount virtual CPUs
   * @param memoryBytes guest memory
   * @param kernelArguments the kernel command line
   * @param hasInitrd whether it has an initial RAM disk
   * @param hostAddress the loopback address of its ports
   * @param memoryBase the snapshot whose memory image it was restored from, or null when it booted
   * @param identity properties of the VM that its saved device state depends on; null before it
   *     runs
   * @param hostSecret the secret by which its agent recognizes this host; null when the agent
   *     cannot tell this host from others
   */
  public record Machine(
      int number,
      int cpuCount,
      long memoryBytes,
      String kernelArguments,
      boolean hasInitrd,
      String hostAddress,
      @Nullable String memoryBase,
      @Nullable VmIdentity identity,
      @Nullable HostSecret hostSecret) {
    /** Returns an empty builder. */
    public static Builder builder() {
      return new Builder();
    }

    /** Returns a builder with the components of this record. */
    public Builder toBuilder() {
      return new Builder()
          .number(number)
          .cpuCount(cpuCount)
          .memoryBytes(memoryBytes)
          .kernelArguments(kernelArguments)
          .hasInitrd(hasInitrd)
          .hostAddress(hostAddress)
          .memoryBase(memoryBase)
          .identity(identity)
          .hostSecret(hostSecret);
    }

    /**
     * Takes the components by name. Numbers, collections and components that may be null need not
     * be set; {@link #build} fails without any of the others.
     */
    public static final class Builder {
      private int number;
      private int cpuCount;
      private long memoryBytes;
      private @Nullable String kernelArguments;
      private boolean hasInitrd;
      private @Nullable String hostAddress;
      private @Nullable String memoryBase;
      private @Nullable VmIdentity identity;
      private @Nullable HostSecret hostSecret;

      private Builder() {}

      public Builder number(int value) {
        number = value;
        return this;
      }

      public Builder cpuCount(int value) {
        cpuCount = value;
        return this;
      }

      public Builder memoryBytes(long value) {
        memoryBytes = value;
        return this;
      }

      public Builder kernelArguments(String value) {
        kernelArguments = value;
        return this;
      }

      public Builder hasInitrd(boolean value) {
        hasInitrd = value;
        return this;
      }

      public Builder hostAddress(String value) {
        hostAddress = value;
        return this;
      }

      public Builder memoryBase(@Nullable String value) {
        memoryBase = value;
        return this;
      }

      public Builder identity(@Nullable VmIdentity value) {
        identity = value;
        return this;
      }

      public Builder hostSecret(@Nullable HostSecret value) {
        hostSecret = value;
        return this;
      }

      /** Returns a record of the components. */
      public Machine build() {
        return new Machine(
            number,
            cpuCount,
            memoryBytes,
            Objects.requireNonNull(kernelArguments, "kernelArguments"),
            hasInitrd,
            Objects.requireNonNull(hostAddress, "hostAddress"),
            memoryBase,
            identity,
            hostSecret);
      }
    }
  }

  /**
   * A sandbox's rules, tokens, timeout and environment.
   *
   * @param rules the creator's rules
   * @param accessToken the token its agent requires, or null for none
   * @param trafficToken the token that requests to its other ports must carry, or null for none
   * @param timeoutSeconds the timeout it was last given, or null for none
   * @param environment environment variables of its processes after a boot
   */
  public record Terms(
      SandboxRules rules,
      @Nullable String accessToken,
      @Nullable String trafficToken,
      @Nullable Long timeoutSeconds,
      Map<String, String> environment) {
    /** Returns these terms with another timeout. */
    public Terms withTimeout(@Nullable Long newTimeoutSeconds) {
      return new Terms(rules, accessToken, trafficToken, newTimeoutSeconds, environment);
    }

    /** Returns these terms with other rules. */
    public Terms withRules(SandboxRules newRules) {
      return new Terms(newRules, accessToken, trafficToken, timeoutSeconds, environment);
    }
  }

  /** The terms of records that were written before terms existed. */
  private static final Terms PLAIN = new Terms(SandboxRules.PLAIN, null, null, null, Map.of());

  /** Fills in values that an older record lacks. */
  public SandboxRecord {
    terms = terms == null ? PLAIN : terms;
  }

  @Override
  public Terms terms() {
    return terms == null ? PLAIN : terms;
  }

  /** Returns this record in another state. */
  public SandboxRecord withState(State newState, @Nullable String newDetail) {
    return toBuilder().state(newState).detail(newDetail).build();
  }

  /** Returns this record with another end. */
  public SandboxRecord withEndAt(@Nullable Instant newEnd) {
    return withEnd(newEnd, terms());
  }

  /** Returns this record with another end and the terms that led to it. */
  public SandboxRecord withEnd(@Nullable Instant newEnd, Terms newTerms) {
    return toBuilder().endAt(newEnd).terms(newTerms).build();
  }

  /** Returns its name and labels. */
  public Sandbox.Label label() {
    return new Sandbox.Label(name, metadata);
  }

  /** Returns this record with another name and other labels. */
  public SandboxRecord withLabel(Sandbox.Label label) {
    return toBuilder().label(label).build();
  }

  /** Returns this record running on another machine. */
  public SandboxRecord withMachine(
      Machine newMachine, long newDiskBytes, @Nullable Integer newAgentPort) {
    return toBuilder()
        .state(State.RUNNING)
        .detail(null)
        .diskBytes(newDiskBytes)
        .agentPort(newAgentPort)
        .machine(newMachine)
        .build();
  }

  /** Returns this record paused, without a machine, to be resumed from a snapshot. */
  public SandboxRecord asPaused(String snapshotId, Instant when) {
    Machine last =
        machine.toBuilder().hostAddress("").memoryBase(snapshotId).identity(null).build();
    return withMachine(last, diskBytes, agentPort).withState(State.PAUSED, null).withEndAt(when);
  }

  /** Returns an empty builder. */
  public static SandboxRecordBuilder builder() {
    return new SandboxRecordBuilder();
  }

  /** Returns a builder with the components of this record. */
  public SandboxRecordBuilder toBuilder() {
    return builder()
        .id(id)
        .state(state)
        .detail(detail)
        .hidden(hidden)
        .sourceId(sourceId)
        .sourceName(sourceName)
        .parentId(parentId)
        .name(name)
        .metadata(metadata)
        .startedAt(startedAt)
        .endAt(endAt)
        .outbound(outbound)
        .memoryMode(memoryMode)
        .diskBytes(diskBytes)
        .agentPort(agentPort)
        .terms(terms)
        .machine(machine);
  }
}
