// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.host;

import dev.ramet.engine.start.Engine;
import dev.ramet.spi.settings.Settings;

/**
 * Opens the engine for the host. The application context must hold exactly one; it is called once,
 * in a separate thread, before or after the server has begun to listen.
 */
@FunctionalInterface
public interface EngineLauncher {
  /**
   * Opens the engine. May take long: requests wait for it.
   *
   * @param settings the host's settings
   * @return an open engine, which the host closes when it stops
   * @throws dev.ramet.errors.RametException when it cannot be opened; the host then ends
   */
  Engine launch(Settings settings);
}
