// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.machine;

import dev.ramet.spi.hypervisor.NetworkPlan;

/**
 * User-mode networking: the hypervisor's process forwards the guest's ports from a loopback
 * address, so the host only has to choose that. Thread-safe.
 */
public final class UserNetwork implements HostNetwork {
  public UserNetwork() {}

  @Override
  public NetworkPlan.Kind kind() {
    return NetworkPlan.Kind.USER;
  }

  @Override
  public NetworkPlan plan(Guest guest) {
    return again(guest, HostAddresses.randomAddress());
  }

  @Override
  public NetworkPlan again(Guest guest, String address) {
    return new NetworkPlan.User(address, guest.ports(), guest.outbound());
  }

  @Override
  public void release(String machine) {
    // The address is free again once the process has ended.
  }
}
