// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.machine;

import java.util.concurrent.ThreadLocalRandom;

/**
 * Chooses loopback addresses for the ports of guests. All of 127.0.0.0/8 reaches this host only, so
 * each machine gets its own address: its ports keep their numbers and do not collide with those of
 * other programs. Addresses are chosen at random from four million. A collision shows when the
 * hypervisor binds; the caller then tries another address.
 */
final class HostAddresses {
  private static final int FIRST_SECOND_OCTET = 64;

  private HostAddresses() {}

  /** Returns a random address. */
  static String randomAddress() {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    return "127."
        + random.nextInt(FIRST_SECOND_OCTET, 128)
        + "."
        + random.nextInt(256)
        + "."
        + random.nextInt(1, 255);
  }
}
