// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What its creator wants of a sandbox's life. Immutable and thread-safe.
 *
 * @param atEnd what becomes of it when its time is over
 * @param keepMemory whether a pause at its end keeps the memory, or only the disk
 * @param autoResume whether a request to one of its ports wakes it from a pause
 * @param secure whether its agent wants an access token
 * @param network which addresses it may reach
 * @param inbound how requests come to its ports
 * @param volumes which volumes it sees, and where
 */
public record SandboxRules(
    AtEnd atEnd,
    boolean keepMemory,
    boolean autoResume,
    boolean secure,
    @Nullable NetworkRules network,
    @Nullable InboundRules inbound,
    @Nullable List<VolumeMount> volumes) {
  /** Killed at its end, open to whoever reaches the host. */
  public static final SandboxRules PLAIN = new SandboxRules(AtEnd.KILL, true, false, false);

  /** Fills in what an older record lacks. */
  public SandboxRules {
    network = network == null ? NetworkRules.NONE : network;
    inbound = inbound == null ? InboundRules.PLAIN : inbound;
    volumes = volumes == null ? List.of() : List.copyOf(volumes);
  }

  /** Rules for all but the network. */
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

  /** The same with other volumes. */
  public SandboxRules with(List<VolumeMount> newVolumes) {
    return new SandboxRules(atEnd, keepMemory, autoResume, secure, network, inbound, newVolumes);
  }

  /** The same with other rules for the network. */
  public SandboxRules with(NetworkRules newNetwork) {
    return new SandboxRules(atEnd, keepMemory, autoResume, secure, newNetwork, inbound, volumes);
  }

  /** The same with other rules for requests to its ports. */
  public SandboxRules with(InboundRules newInbound) {
    return new SandboxRules(atEnd, keepMemory, autoResume, secure, network, newInbound, volumes);
  }

  /** What becomes of a sandbox when its time is over. */
  public enum AtEnd {
    /** It is gone. */
    KILL,
    /** It is paused and can be resumed. */
    PAUSE
  }
}
