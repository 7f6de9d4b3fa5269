// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.proxy;

import dev.ramet.engine.Engine;
import dev.ramet.server.EngineHolder;
import dev.ramet.server.LookupExecutor;
import io.micronaut.context.BeanProvider;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;

/** Asks the engine for a guest's address without blocking the asker. Thread-safe. */
@Singleton
class Endpoints {
  private final EngineHolder engine;
  private final BeanProvider<ExecutorService> executor;

  Endpoints(
      EngineHolder engine, @Named(LookupExecutor.NAME) BeanProvider<ExecutorService> executor) {
    this.engine = engine;
    this.executor = executor;
  }

  /** Completes with the address, or with the engine's {@link dev.ramet.api.RametException}. */
  CompletionStage<InetSocketAddress> find(Target target) {
    return engine.whenOpen().thenApplyAsync(open -> find(open, target), executor.get());
  }

  private static InetSocketAddress find(Engine open, Target target) {
    return open.sandboxes().endpoint(target.sandboxId(), target.port());
  }
}
