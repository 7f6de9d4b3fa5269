// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server;

import dev.ramet.api.ErrorCode;
import dev.ramet.api.RametException;
import io.micronaut.context.annotation.Context;
import java.net.InetAddress;
import java.net.UnknownHostException;

/**
 * Refuses to start on an address that other machines can reach: whoever reaches the port rules
 * every sandbox and, through template imports, reads files of this host.
 */
@Context
final class BindGuard {
  BindGuard(ServerSettings settings) {
    check(settings.bind());
  }

  static void check(String bind) {
    try {
      for (InetAddress address : InetAddress.getAllByName(bind)) {
        if (!address.isLoopbackAddress()) {
          throw new RametException(
              ErrorCode.INVALID_ARGUMENT,
              "ramet.bind: "
                  + bind
                  + " can be reached by other machines, and requests carry no"
                  + " proof of who sends them",
              "set ramet.bind to 127.0.0.1 and put a reverse proxy that authenticates in front",
              null);
        }
      }
    } catch (UnknownHostException e) {
      throw new RametException(
          ErrorCode.INVALID_ARGUMENT, "ramet.bind: not an address: " + bind, e);
    }
  }
}
