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
import jakarta.inject.Named;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;

/** Routes for the host's resources that sandboxes use. */
@Controller
@Tag(name = "sandboxes")
@ExecuteOn(TaskExecutors.BLOCKING)
final class StatsController {
  private final EngineHolder engine;
  private final ExecutorService executor;

  StatsController(EngineHolder engine, @Named(TaskExecutors.BLOCKING) ExecutorService executor) {
    this.engine = engine;
    this.executor = executor;
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
