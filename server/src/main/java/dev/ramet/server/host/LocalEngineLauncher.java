// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.host;

import dev.ramet.engine.EngineConfig;
import dev.ramet.engine.StepObserver;
import dev.ramet.engine.start.Engine;
import dev.ramet.engine.start.EngineFactory;
import dev.ramet.engine.start.PluginHost;
import dev.ramet.spi.settings.Settings;
import io.micronaut.context.annotation.Requires;
import jakarta.inject.Singleton;

/** Opens the engine of this host on its data root. */
@Singleton
@Requires(missingBeans = EngineLauncher.class)
final class LocalEngineLauncher implements EngineLauncher {
  private final PluginHost plugins;

  LocalEngineLauncher(PluginHost plugins) {
    this.plugins = plugins;
  }

  @Override
  public Engine launch(Settings settings) {
    return EngineFactory.open(new EngineConfig(settings, StepObserver.NONE), plugins);
  }
}
