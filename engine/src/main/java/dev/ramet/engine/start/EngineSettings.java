// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.start;

import dev.ramet.engine.EngineConfig;
import dev.ramet.engine.OutboundSettings;
import dev.ramet.engine.capture.MemoryImages;
import dev.ramet.engine.capture.PreCopier;
import dev.ramet.engine.capture.SnapshotReplacement;
import dev.ramet.engine.machine.AgentSetup;
import dev.ramet.engine.machine.HostMemory;
import dev.ramet.engine.machine.VmLauncher;
import dev.ramet.engine.machine.WorkingSetPrefetcher;
import dev.ramet.engine.root.DataRoots;
import dev.ramet.engine.root.RootOpener;
import dev.ramet.engine.sandbox.CloneStarter;
import dev.ramet.engine.selection.PluginSelection;
import dev.ramet.engine.space.StorageReserve;
import dev.ramet.engine.template.Recipe;
import dev.ramet.pluginhost.find.PluginPolicy;
import dev.ramet.spi.hypervisor.HypervisorProvider;
import dev.ramet.spi.settings.Setting;
import dev.ramet.spi.settings.SettingGroup;
import dev.ramet.spi.settings.Settings;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * The settings of the engine in display order. Each is declared by the class that uses it. {@link
 * EngineConfig#DATA_ROOT} is not among them, because the host lists it with its own.
 */
public final class EngineSettings {
  private EngineSettings() {}

  /** Returns all settings of the engine. */
  public static List<SettingGroup> groups() {
    return List.of(
        SettingGroup.of(
            "storage",
            RootOpener.PROVISION,
            DataRoots.POOL_SIZE,
            StorageReserve.RESERVE,
            DataRoots.BACKEND,
            DataRoots.MEMORY_ROOT,
            DataRoots.MEMORY_BACKEND,
            Recipe.CACHE_DIRECTORY,
            Recipe.GUEST_DIRECTORY),
        SettingGroup.of(
            "memory",
            PluginSelection.MEMORY_MODE,
            SnapshotReplacement.MEMORY_VOLUMES,
            PreCopier.ROUNDS,
            PreCopier.BYTES,
            PreCopier.TIME,
            WorkingSetPrefetcher.WORKING_SET,
            WorkingSetPrefetcher.WORKING_SET_AFTER,
            MemoryImages.VERIFY),
        SettingGroup.of(
            "machines",
            PluginSelection.HYPERVISOR,
            HypervisorProvider.ACCELERATOR,
            OutboundSettings.BY_DEFAULT,
            OutboundSettings.NEVER,
            OutboundSettings.AUTHORITIES,
            CloneStarter.CONCURRENCY,
            VmLauncher.START_TIMEOUT,
            HostMemory.OVERCOMMIT,
            AgentSetup.AGENT_TIMEOUT),
        SettingGroup.of(
            "plugins",
            PluginPolicy.DIRECTORY,
            PluginPolicy.REQUIRED,
            PluginPolicy.NATIVE_ACCESS,
            PluginPolicy.PREFERRED));
  }

  /**
   * Finds settings that are valid separately but contradict each other.
   *
   * @param problem receives the key of each setting that is wrong, and the error as the rest of a
   *     sentence that begins with the key
   */
  public static void check(Settings set, BiConsumer<String, String> problem) {
    Setting<Path> root = DataRoots.MEMORY_ROOT;
    if (set.has(DataRoots.MEMORY_BACKEND) && !set.has(root)) {
      problem.accept(DataRoots.MEMORY_BACKEND.key(), "needs " + root.key());
    }
    if (set.has(root)
        && normalize(set.get(root)).equals(normalize(set.get(EngineConfig.DATA_ROOT)))) {
      problem.accept(
          root.key(), "is the data root itself; leave it out to keep memory images there");
    }
  }

  private static Path normalize(Path path) {
    return path.toAbsolutePath().normalize();
  }
}
