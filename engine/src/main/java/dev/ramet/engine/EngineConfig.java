// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

import dev.ramet.pluginhost.find.PluginPolicy;
import dev.ramet.spi.hypervisor.HypervisorProvider;
import dev.ramet.spi.settings.Setting;
import dev.ramet.spi.settings.Settings;
import java.nio.file.Path;

/**
 * The configuration that an engine is opened with. Immutable.
 *
 * @param settings the operator's settings; each is declared next to the code that reads it
 * @param steps called before each step of an operation; an exception from it fails the operation
 */
public record EngineConfig(Settings settings, StepObserver steps) {
  /** The directory of everything the engine keeps; created when absent. */
  public static final Setting<Path> DATA_ROOT =
      Setting.path("ramet.data-root", "Directory of all volumes, snapshots and sandboxes.")
          .byDefault(Path.of("/var/lib/ramet"));

  /** Returns the absolute path of the data root. */
  public Path dataRoot() {
    return settings.get(DATA_ROOT).toAbsolutePath();
  }

  /** Returns this configuration with another value of one setting. */
  public EngineConfig with(String key, String text) {
    return new EngineConfig(settings.with(key, text), steps);
  }

  /** Returns the settings of a plugin. */
  public Settings plugin(String id) {
    Settings own = settings.below(PluginPolicy.prefix(id));
    Setting<String> shared = HypervisorProvider.ACCELERATOR;
    return settings.has(shared) ? own.with(shared, settings.get(shared)) : own;
  }
}
