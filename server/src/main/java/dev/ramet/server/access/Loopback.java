// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.access;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.net.InetAddress;
import java.net.UnknownHostException;

/** Tells addresses that only this machine reaches. */
final class Loopback {
  private Loopback() {}

  /**
   * Whether every address of a name is a loopback one.
   *
   * @throws RametException {@code INVALID_ARGUMENT} when it is no address
   */
  static boolean only(String bind) {
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
