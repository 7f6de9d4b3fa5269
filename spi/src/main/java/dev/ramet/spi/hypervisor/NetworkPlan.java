// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.hypervisor;

import java.nio.file.Path;
import java.util.List;

/**
 * How a guest is connected. The host plans the first kind that it can set up and that the driver
 * states in {@link HypervisorFacts.Accepts#networks}. Later versions may add kinds. Addresses are
 * IPv4 in dotted decimals.
 */
public sealed interface NetworkPlan {
  /** The kinds of plans. */
  enum Kind {
    /** {@link User}. */
    USER,
    /** {@link Tap}. */
    TAP,
    /** {@link None}. */
    NONE
  }

  /** Returns the kind of this plan. */
  Kind kind();

  /**
   * User-mode networking inside the hypervisor's process, which needs no privileges. Guest ports
   * are forwarded from a loopback address that belongs to this machine alone. If another process
   * uses an address to be forwarded, starting the machine and {@link RunningVm#endpoint} throw
   * {@code CONFLICT}; another address may then succeed.
   *
   * @param address the loopback address, for example {@code 127.80.3.7}
   * @param ports guest ports forwarded from the start; {@link RunningVm#endpoint} adds others
   * @param outbound whether the guest may open connections; that includes the host's own loopback
   */
  record User(String address, List<Integer> ports, boolean outbound) implements NetworkPlan {
    /** Copies the list. */
    public User {
      ports = List.copyOf(ports);
    }

    @Override
    public Kind kind() {
      return Kind.USER;
    }
  }

  /**
   * A tap device that the host has created and routes. The guest's network card and address are the
   * same for all machines that start from one saved state, which holds them; each machine has its
   * own network namespace, in which they cannot collide.
   *
   * @param netns the network namespace of the device; the hypervisor's process enters it before it
   *     opens the device
   * @param device the name of the device
   * @param guestMac the hardware address of the guest's network card
   * @param guest the guest's address
   * @param gateway the device's own address, the guest's way out
   * @param prefixLength the length of their network's prefix
   * @param endpoint the address at which processes of the host reach all ports of the guest
   */
  record Tap(
      Path netns,
      String device,
      String guestMac,
      String guest,
      String gateway,
      int prefixLength,
      String endpoint)
      implements NetworkPlan {
    @Override
    public Kind kind() {
      return Kind.TAP;
    }
  }

  /** A machine without a network card. {@link RunningVm#endpoint} throws {@code UNSUPPORTED}. */
  record None() implements NetworkPlan {
    @Override
    public Kind kind() {
      return Kind.NONE;
    }
  }
}
