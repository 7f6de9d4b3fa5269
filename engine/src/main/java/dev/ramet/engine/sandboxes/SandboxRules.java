// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.sandboxes;

import dev.ramet.egress.rule.NetworkRules;
import dev.ramet.engine.volumes.VolumeMount;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A sandbox's lifetime, access and network rules, as its creator set them. Immutable and
 * thread-safe.
 *
 * @param atEnd what happens when its time is over
 * @param keepMemory whether a pause at its end keeps the memory, or only the disk
 * @param autoResume whether a request to one of its ports resumes it from a pause
 * @param secure whether its agent requires an access token
 * @param network which addresses it may reach
 * @param inbound how requests reach its ports
 * @param volumes which volumes it mounts, and where
 */
public record SandboxRules(
    AtEnd atEnd,
    boolean keepMemory,
    boolean autoResume,
    boolean secure,
    @Nullable NetworkRules network,
    @Nullable InboundRules inbound,
    @Nullable List<VolumeMount> volumes) {
  /** Killed at its end, and open to every client that reaches the host. */
  public static final SandboxRules PLAIN = new SandboxRules(AtEnd.KILL, true, false, false);

  /** Fills in values that an older record lacks. */
  public SandboxRules {
    network = network == null ? NetworkRules.NONE : network;
    inbound = inbound == null ? InboundRules.PLAIN : inbound;
    volumes = volumes == null ? List.of() : List.copyOf(volumes);
  }

  /** Creates rules with default network rules and no volumes. */
  public SandboxRules(AtEnd atEnd, boolean keepMemory, boolean autoResume, boolean secure) {
    this(atEnd, keepMemory, autoResume, secure, NetworkRules.NONE, InboundRules.PLAIN, List.of());
  }

  @Override
  public NetworkRules network() {
    return network == null ? NetworkRules.NONE : network;
  }

  @Override
  public InboundRules inbound() {
    return inbound == null ? InboundRules.PLAIN : inbound;
  }

  @Override
  public List<VolumeMount> volumes() {
    return volumes == null ? List.of() : volumes;
  }

  /** Returns these rules with other volumes. */
  public SandboxRules with(List<VolumeMount> newVolumes) {
    return new SandboxRules(atEnd, keepMemory, autoResume, secure, network, inbound, newVolumes);
  }

  /** Returns these rules with other network rules. */
  public SandboxRules with(NetworkRules newNetwork) {
    return new SandboxRules(atEnd, keepMemory, autoResume, secure, newNetwork, inbound, volumes);
  }

  /** Returns these rules with other rules for requests to its ports. */
  public SandboxRules with(InboundRules newInbound) {
    return new SandboxRules(atEnd, keepMemory, autoResume, secure, network, newInbound, volumes);
  }

  /** The action taken when a sandbox's timeout expires. */
  public enum AtEnd {
    /** It is killed. */
    KILL,
    /** It is paused and can be resumed. */
    PAUSE
  }
}
