// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.host;

import dev.ramet.engine.Engine;
import dev.ramet.engine.EngineConfig;
import dev.ramet.engine.start.EngineFactory;
import dev.ramet.server.settings.EngineSettings;
import dev.ramet.server.settings.ServerSettings;
import io.micronaut.context.annotation.Requires;
import io.micronaut.context.env.Environment;
import jakarta.inject.Singleton;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Opens the engine of this host on its data root. */
@Singleton
@Requires(missingBeans = EngineLauncher.class)
final class LocalEngineLauncher implements EngineLauncher {
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
    return EngineFactory.open(
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
            PluginChoice.policy(engine),
            new PluginChoice(environment).settings(),
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
            : PluginChoice.names(engine.outboundNever()),
        engine.outboundAuthorities());
  }

  private EngineConfig.PreCopy preCopy() {
    Long bytes = engine.precopyBytes();
    return new EngineConfig.PreCopy(
        engine.precopyRounds(), bytes == null ? 0 : bytes, engine.precopyTime());
  }

  private EngineConfig.@Nullable MemoryRoot memoryRoot() {
    Path path = engine.storageMemoryRoot();
    if (path == null) {
      return null;
    }
    return new EngineConfig.MemoryRoot(path.toAbsolutePath(), engine.storageMemoryBackend());
  }
}
