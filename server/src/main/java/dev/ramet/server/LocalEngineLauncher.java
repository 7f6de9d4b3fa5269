// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server;

import dev.ramet.engine.Engine;
import dev.ramet.engine.EngineConfig;
import dev.ramet.engine.PluginPolicy;
import dev.ramet.engine.RametEngine;
import io.micronaut.context.annotation.Requires;
import io.micronaut.context.env.Environment;
import io.micronaut.core.naming.conventions.StringConvention;
import jakarta.inject.Singleton;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Opens the engine of this host on its data root. */
@Singleton
@Requires(missingBeans = EngineLauncher.class)
final class LocalEngineLauncher implements EngineLauncher {
  private static final String PLUGIN_SETTINGS = "ramet.plugin";

  private final EngineSettings engine;
  private final Environment environment;

  LocalEngineLauncher(EngineSettings engine, Environment environment) {
    this.engine = engine;
    this.environment = environment;
  }

  @Override
  public Engine launch(ServerSettings settings) {
    EngineConfig defaults =
        EngineConfig.of(
            settings.dataRoot().toAbsolutePath(),
            engine.guestDir().toAbsolutePath(),
            engine.cacheDir().toAbsolutePath());
    Integer concurrency = engine.cloneConcurrency();
    return RametEngine.open(
        new EngineConfig(
            defaults.dataRoot(),
            defaults.guestDirectory(),
            defaults.cacheDirectory(),
            engine.storageProvision(),
            engine.storagePoolSize(),
            engine.storageBackend(),
            memoryRoot(),
            engine.hypervisor(),
            engine.memoryMode(),
            engine.verifyCaptures(),
            plugins(),
            pluginSettings(),
            outbound(),
            defaults.stagingBytes(),
            preCopy(),
            engine.memoryVolumes(),
            new EngineConfig.WorkingSetPolicy(engine.workingSet(), engine.workingSetAfter()),
            concurrency == null ? defaults.cloneConcurrency() : concurrency,
            engine.startTimeout(),
            engine.agentTimeout(),
            defaults.steps()));
  }

  private EngineConfig.Outbound outbound() {
    return new EngineConfig.Outbound(
        engine.outbound(),
        engine.outboundNever() == null
            ? EngineConfig.Outbound.THIS_HOST
            : names(engine.outboundNever()),
        engine.outboundAuthorities());
  }

  private EngineConfig.PreCopy preCopy() {
    Long bytes = engine.precopyBytes();
    return new EngineConfig.PreCopy(
        engine.precopyRounds(), bytes == null ? 0 : bytes, engine.precopyTime());
  }

  private PluginPolicy plugins() {
    Path directory = engine.pluginsDir();
    return new PluginPolicy(
        directory == null ? null : directory.toAbsolutePath(),
        new HashSet<>(names(engine.pluginsRequired())),
        new HashSet<>(names(engine.pluginsNativeAccess())),
        names(engine.pluginsPreferred()));
  }

  /** What is set to nothing comes as one empty name. */
  private static List<String> names(@Nullable List<String> set) {
    return set == null
        ? List.of()
        : set.stream().map(String::strip).filter(name -> !name.isEmpty()).toList();
  }

  /** What is set as {@code ramet.plugin.<id>.<key>}, and what else the host knows of plugins. */
  private Map<String, Map<String, String>> pluginSettings() {
    Map<String, Map<String, String>> settings = new HashMap<>();
    environment
        .getProperties(PLUGIN_SETTINGS, StringConvention.RAW)
        .forEach(
            (name, value) -> {
              int dot = name.indexOf('.');
              // An environment variable comes in every reading of its underscores.
              if (dot > 0 && dot < name.length() - 1) {
                settings
                    .computeIfAbsent(name.substring(0, dot), id -> new HashMap<>())
                    .put(name.substring(dot + 1), String.valueOf(value));
              }
            });
    settings
        .computeIfAbsent("qemu", id -> new HashMap<>())
        .put("accelerator", engine.accelerator());
    return settings;
  }

  private EngineConfig.@Nullable MemoryRoot memoryRoot() {
    Path path = engine.storageMemoryRoot();
    if (path == null) {
      return null;
    }
    return new EngineConfig.MemoryRoot(path.toAbsolutePath(), engine.storageMemoryBackend());
  }
}
