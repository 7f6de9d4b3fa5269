// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server;

import dev.ramet.api.RametException;
import dev.ramet.engine.Engine;
import dev.ramet.engine.EngineConfig;
import dev.ramet.engine.RametEngine;
import io.micronaut.context.annotation.Requires;
import jakarta.inject.Singleton;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Opens the engine of this host on its data root. */
@Singleton
@Requires(missingBeans = EngineLauncher.class)
final class LocalEngineLauncher implements EngineLauncher {
  private final EngineSettings engine;

  LocalEngineLauncher(EngineSettings engine) {
    this.engine = engine;
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
            Map.of("qemu", Map.of("accelerator", engine.accelerator())),
            engine.outbound(),
            defaults.stagingBytes(),
            preCopy(),
            concurrency == null ? defaults.cloneConcurrency() : concurrency,
            engine.startTimeout(),
            engine.agentTimeout(),
            defaults.steps()));
  }

  private EngineConfig.PreCopy preCopy() {
    Integer rounds = Checks.range("ramet.precopy-rounds", engine.precopyRounds(), 0, 100);
    Long bytes = engine.precopyBytes();
    if (bytes != null && bytes < 1) {
      throw RametException.invalid("ramet.precopy-bytes", "must be positive");
    }
    if (engine.precopyTime().isNegative()) {
      throw RametException.invalid("ramet.precopy-time", "must not be negative");
    }
    return new EngineConfig.PreCopy(
        rounds == null ? EngineConfig.PreCopy.DEFAULT.rounds() : rounds,
        bytes == null ? 0 : bytes,
        engine.precopyTime());
  }

  private EngineConfig.@Nullable MemoryRoot memoryRoot() {
    Path path = engine.storageMemoryRoot();
    String backend = engine.storageMemoryBackend();
    if (path == null) {
      if (backend != null) {
        throw RametException.invalid(
            "ramet.storage-memory-backend", "needs ramet.storage-memory-root");
      }
      return null;
    }
    return new EngineConfig.MemoryRoot(path.toAbsolutePath(), backend);
  }
}
