// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

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
 */
public record Rules(
    AtEnd atEnd,
    boolean keepMemory,
    boolean autoResume,
    boolean secure,
    @Nullable NetworkRules network,
    @Nullable InboundRules inbound) {
  /** Killed at its end, open to whoever reaches the host. */
  public static final Rules PLAIN = new Rules(AtEnd.KILL, true, false, false);

  /** Fills in what an older record lacks. */
  public Rules {
    network = network == null ? NetworkRules.NONE : network;
    inbound = inbound == null ? InboundRules.PLAIN : inbound;
  }

  /** Rules for all but the network. */
  public Rules(AtEnd atEnd, boolean keepMemory, boolean autoResume, boolean secure) {
    this(atEnd, keepMemory, autoResume, secure, NetworkRules.NONE, InboundRules.PLAIN);
  }

  @Override
  public NetworkRules network() {
    return network == null ? NetworkRules.NONE : network;
  }

  @Override
  public InboundRules inbound() {
    return inbound == null ? InboundRules.PLAIN : inbound;
  }

  /** The same with other rules for the network. */
  public Rules with(NetworkRules newNetwork) {
    return new Rules(atEnd, keepMemory, autoResume, secure, newNetwork, inbound);
  }

  /** The same with other rules for requests to its ports. */
  public Rules with(InboundRules newInbound) {
    return new Rules(atEnd, keepMemory, autoResume, secure, network, newInbound);
  }

  /** What becomes of a sandbox when its time is over. */
  public enum AtEnd {
    /** It is gone. */
    KILL,
    /** It is paused and can be resumed. */
    PAUSE
  }
}
