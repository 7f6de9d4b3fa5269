// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

import dev.ramet.engine.core.OpenedEngine;

/** Opens engines. */
public final class RametEngine {
  private RametEngine() {}

  /**
   * Opens a data root: provisions storage if allowed and needed, chooses plugins, puts the root in
   * order and finds the sandboxes that still run.
   *
   * @throws dev.ramet.api.RametException {@code CONFLICT} when another process has the data root
   *     open, {@code HOST_UNFIT} when no storage backend works there
   */
  public static Engine open(EngineConfig config) {
    return OpenedEngine.open(config);
  }
}
