// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.machine;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.hypervisor.HypervisorFacts;
import dev.ramet.spi.hypervisor.NetworkPlan;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A kind of network that this host can give machines. The address at which a guest's ports are
 * reached is kept in its sandbox's manifest; everything else about its network follows from that
 * address and the guest. Implementations are thread-safe.
 */
public interface HostNetwork {
  /**
   * A guest to connect.
   *
   * @param machine its machine's name, unique among all machines of the root
   * @param ports ports that are reached from the start
   * @param outbound whether it may open connections
   */
  record Guest(String machine, List<Integer> ports, boolean outbound) {
    /** Copies the list. */
    public Guest {
      ports = List.copyOf(ports);
    }
  }

  /** Returns the kind of its plans. */
  NetworkPlan.Kind kind();

  /**
   * Sets up the network of a machine that is about to start. A hypervisor that answers {@code
   * CONFLICT} found the address in use; then the plan is released and another one made.
   */
  NetworkPlan plan(Guest guest);

  /**
   * Returns the plan of a machine that an earlier process of this host started.
   *
   * @param address the address of the plan, see {@link #address}
   */
  NetworkPlan again(Guest guest, String address);

  /** Removes what a plan set up; the machine has ended or never started. Idempotent. */
  void release(String machine);

  /** Returns the kinds of some networks. */
  static Set<NetworkPlan.Kind> kinds(List<HostNetwork> networks) {
    return networks.stream().map(HostNetwork::kind).collect(Collectors.toUnmodifiableSet());
  }

  /**
   * Returns the first of the host's networks that a hypervisor accepts. Without one, the hypervisor
   * has not been selected, and none of its machines starts.
   */
  static HostNetwork choose(List<HostNetwork> networks, HypervisorFacts facts) {
    return networks.stream()
        .filter(one -> facts.accepts().networks().contains(one.kind()))
        .findFirst()
        .orElse(networks.get(0));
  }

  /** Returns the address at which the guest's ports are reached. */
  static String address(NetworkPlan plan) {
    if (plan instanceof NetworkPlan.User user) {
      return user.address();
    }
    if (plan instanceof NetworkPlan.Tap tap) {
      return tap.endpoint();
    }
    throw new RametException(ErrorCode.UNSUPPORTED, "machines without a network are not started");
  }
}
