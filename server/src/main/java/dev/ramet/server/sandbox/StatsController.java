// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.sandbox;

import dev.ramet.api.sandbox.SandboxStats;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.sandboxes.Sandboxes;
import dev.ramet.errors.RametException;
import dev.ramet.server.host.EngineHolder;
import dev.ramet.server.http.FieldValidation;
import dev.ramet.server.view.StatsView;
import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.annotation.PreDestroy;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Routes for the host's resources that sandboxes use. */
@Controller
@Tag(name = "sandboxes")
@ExecuteOn(TaskExecutors.BLOCKING)
final class StatsController {
  private static final int MAX_THREADS = 16;

  private final EngineHolder engine;

  // Not one that requests run on: they wait for these tasks, and could hold all of its threads.
  private final ExecutorService executor =
      Executors.newFixedThreadPool(MAX_THREADS, StatsController::daemon);

  StatsController(EngineHolder engine) {
    this.engine = engine;
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "stats");
    thread.setDaemon(true);
    return thread;
  }

  @PreDestroy
  void close() {
    executor.shutdownNow();
  }

  /**
   * Measures the host's resources that sandboxes use now. Running guests are asked for their
   * network traffic.
   *
   * @param sandboxID the only sandbox to measure; all unless given
   * @return one entry for each sandbox, newest first
   */
  @Get("/sandboxes/stats")
  List<SandboxStats> listSandboxStats(@QueryValue @Nullable String sandboxID) {
    Sandboxes sandboxes = engine.get().sandboxes();
    List<Sandbox> wanted =
        sandboxID == null
            ? sandboxes.list()
            : List.of(sandboxes.get(FieldValidation.sandboxId(sandboxID)));
    // At once, because a busy guest may take a second to answer.
    List<CompletableFuture<SandboxStats>> measuring =
        wanted.stream()
            .map(one -> CompletableFuture.supplyAsync(() -> measure(sandboxes, one), executor))
            .toList();
    return measuring.stream().map(CompletableFuture::join).toList();
  }

  private static SandboxStats measure(Sandboxes sandboxes, Sandbox sandbox) {
    if (sandbox.state() != Sandbox.State.RUNNING) {
      return StatsView.of(sandbox, null);
    }
    try {
      return StatsView.of(sandbox, sandboxes.usage(sandbox.id()));
    } catch (RametException e) {
      return StatsView.of(sandbox, null); // it has just been stopped
    }
  }
}
