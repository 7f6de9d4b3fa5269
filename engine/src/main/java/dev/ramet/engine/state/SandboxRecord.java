// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.state;

import dev.ramet.engine.SandboxRules;
import dev.ramet.spi.hypervisor.VmIdentity;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The manifest of a sandbox.
 *
 * @param id its id, also the name of its directory
 * @param state where it is in its life
 * @param detail why, for a failed one
 * @param hidden it belongs to an operation and is never shown; after a crash it is removed
 * @param sourceId the template or snapshot it was created from
 * @param sourceName that one's name, or null
 * @param parentId the sandbox it was cloned from, or null
 * @param metadata the creator's own pairs
 * @param startedAt when it was created
 * @param endAt when it ends by itself, or null
 * @param outbound whether it may open connections
 * @param memoryMode id of the only memory mode for captures of it, or null to choose
 * @param diskBytes virtual size of its disk
 * @param agentPort the guest agent's port, or null
 * @param terms how it is to live
 * @param machine the machine it runs on; for a paused one, the last one it had
 */
public record SandboxRecord(
    String id,
    State state,
    @Nullable String detail,
    boolean hidden,
    String sourceId,
    @Nullable String sourceName,
    @Nullable String parentId,
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
    /** Acknowledged. */
    RUNNING,
    /** Its machine is gone; {@link Machine#memoryBase} names the snapshot it goes on from. */
    PAUSED,
    /** Its machine died. */
    FAILED,
    /** Intent: it is being removed; after a crash that is finished. */
    KILLED
  }

  /**
   * One machine of a sandbox.
   *
   * @param number counts up with each rollback; names its directory and disk
   * @param cpuCount virtual CPUs
   * @param memoryBytes guest memory
   * @param kernelArguments the kernel command line
   * @param hasInitrd whether it has an initial ram disk
   * @param hostAddress the loopback address of its ports
   * @param memoryBase the snapshot whose memory image it was restored from, or null when it booted
   * @param identity what a device state saved of it depends on; null before it runs
   * @param hostSecret what its agent knows this host by; null when the agent cannot tell this host
   *     from others
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
      @Nullable HostSecret hostSecret) {}

  /**
   * How a sandbox is to live.
   *
   * @param rules what its creator wants
   * @param accessToken what its agent asks for, or null for nothing
   * @param trafficToken what requests to its other ports have to bring, or null for nothing
   * @param timeoutSeconds the time it was last given, or null for ever
   * @param environment what its processes have in their environment after a boot
   */
  public record Terms(
      SandboxRules rules,
      @Nullable String accessToken,
      @Nullable String trafficToken,
      @Nullable Long timeoutSeconds,
      Map<String, String> environment) {
    /** The same with another time. */
    public Terms lasting(@Nullable Long newTimeoutSeconds) {
      return new Terms(rules, accessToken, trafficToken, newTimeoutSeconds, environment);
    }

    /** The same with other rules. */
    public Terms with(SandboxRules newRules) {
      return new Terms(newRules, accessToken, trafficToken, timeoutSeconds, environment);
    }
  }

  /** Records written before there were any have none. */
  private static final Terms PLAIN = new Terms(SandboxRules.PLAIN, null, null, null, Map.of());

  /** Fills in what an older record lacks. */
  public SandboxRecord {
    terms = terms == null ? PLAIN : terms;
  }

  @Override
  public Terms terms() {
    return terms == null ? PLAIN : terms;
  }

  /** The same in another state. */
  public SandboxRecord in(State newState, @Nullable String newDetail) {
    return new SandboxRecord(
        id,
        newState,
        newDetail,
        hidden,
        sourceId,
        sourceName,
        parentId,
        metadata,
        startedAt,
        endAt,
        outbound,
        memoryMode,
        diskBytes,
        agentPort,
        terms,
        machine);
  }

  /** The same with another end. */
  public SandboxRecord endingAt(@Nullable Instant newEnd) {
    return ending(newEnd, terms());
  }

  /** The same with another end and the time that led to it. */
  public SandboxRecord ending(@Nullable Instant newEnd, Terms newTerms) {
    return new SandboxRecord(
        id,
        state,
        detail,
        hidden,
        sourceId,
        sourceName,
        parentId,
        metadata,
        startedAt,
        newEnd,
        outbound,
        memoryMode,
        diskBytes,
        agentPort,
        newTerms,
        machine);
  }

  /** The same on another machine, running. */
  public SandboxRecord on(Machine newMachine, long newDiskBytes, @Nullable Integer newAgentPort) {
    return new SandboxRecord(
        id,
        State.RUNNING,
        null,
        hidden,
        sourceId,
        sourceName,
        parentId,
        metadata,
        startedAt,
        endAt,
        outbound,
        memoryMode,
        newDiskBytes,
        newAgentPort,
        terms,
        newMachine);
  }

  /** The same without a machine, to go on from a snapshot. */
  public SandboxRecord pausedAs(String snapshotId, Instant when) {
    Machine last =
        new Machine(
            machine.number(),
            machine.cpuCount(),
            machine.memoryBytes(),
            machine.kernelArguments(),
            machine.hasInitrd(),
            "",
            snapshotId,
            null,
            machine.hostSecret());
    return on(last, diskBytes, agentPort).in(State.PAUSED, null).endingAt(when);
  }
}
