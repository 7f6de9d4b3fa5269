// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.machine;

import java.util.concurrent.ThreadLocalRandom;

/**
 * Loopback addresses for the ports of guests. All of 127.0.0.0/8 reaches this host and nothing
 * else, so each machine gets an address of its own, on which its ports keep their numbers and no
 * port of another program is in the way. Taken at random out of four million; a collision shows
 * when the hypervisor binds, and is answered by another try.
 */
final class HostAddresses {
  private static final int FIRST_SECOND_OCTET = 64;

  private HostAddresses() {}

  /** Another address. */
  static String next() {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    return "127."
        + random.nextInt(FIRST_SECOND_OCTET, 128)
        + "."
        + random.nextInt(256)
        + "."
        + random.nextInt(1, 255);
  }
}
