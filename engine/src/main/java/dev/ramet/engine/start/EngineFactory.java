// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.start;

import dev.ramet.engine.Engine;
import dev.ramet.engine.EngineConfig;
import dev.ramet.engine.OfflineStorage;
import dev.ramet.engine.check.OfflineRoots;

/** Opens engines. */
public final class EngineFactory {
  private EngineFactory() {}

  /**
   * Opens a data root: provisions storage if allowed and needed, chooses plugins, puts the root in
   * order and finds the sandboxes that still run.
   *
   * @throws dev.ramet.errors.RametException {@code CONFLICT} when another process has the data root
   *     open, {@code HOST_UNFIT} when no storage backend works there, {@code CORRUPT} when it has
   *     lost its record
   */
  public static Engine open(EngineConfig config) {
    return EngineAssembly.open(config);
  }

  /**
   * Opens a data root to be looked through while no host runs on it, with the storage backends that
   * are recorded in it. No machine is started, nothing is probed and, but for the mounting of a
   * pool, nothing changed.
   *
   * @param config of which the data root, the plugins and their settings count
   * @throws dev.ramet.errors.RametException {@code NOT_FOUND} when there is no data root of
   *     Ramet's, {@code CONFLICT} when another process has it open, {@code CORRUPT} when its record
   *     is gone or cannot be read, {@code HOST_UNFIT} when its storage backend is not here or its
   *     pool cannot be mounted, {@code UNSUPPORTED} when its storage backend needs a host for that
   */
  public static OfflineStorage atRest(EngineConfig config) {
    return OfflineRoots.open(config);
  }
}
