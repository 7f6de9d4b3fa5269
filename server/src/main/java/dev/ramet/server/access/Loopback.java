// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.access;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.net.InetAddress;
import java.net.UnknownHostException;

/** Recognizes addresses that only this machine can reach. */
final class Loopback {
  private Loopback() {}

  /**
   * Returns whether every address of a name is a loopback address.
   *
   * @throws RametException {@code INVALID_ARGUMENT} when the name has no address
   */
  static boolean isLoopbackOnly(String bind) {
    try {
      for (InetAddress address : InetAddress.getAllByName(bind)) {
        if (!address.isLoopbackAddress()) {
          return false;
        }
      }
      return true;
    } catch (UnknownHostException e) {
      throw new RametException(
          ErrorCode.INVALID_ARGUMENT, "ramet.bind: not an address: " + bind, e);
    }
  }
}
