// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.access;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.server.settings.HostSettings;
import dev.ramet.spi.settings.Settings;
import io.micronaut.context.annotation.Context;

/**
 * Refuses to start on an address that other machines can reach when requests need no key: anybody
 * who reaches the port would control every sandbox.
 */
@Context
final class BindGuard {
  BindGuard(Settings settings) {
    check(settings.get(HostSettings.BIND), settings.get(AccessControl.AUTH));
  }

  static void check(String bind, AccessControl.Auth auth) {
    if (auth == AccessControl.Auth.OFF && !Loopback.isLoopbackOnly(bind)) {
      throw new RametException(
          ErrorCode.INVALID_ARGUMENT,
          "ramet.bind: "
              + bind
              + " can be reached by other machines, and with ramet.auth=OFF requests need no key",
          "set ramet.auth to AUTO and create a key (ramet key create NAME), or set ramet.bind"
              + " to 127.0.0.1",
          null);
    }
  }
}
