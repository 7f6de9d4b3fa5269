// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server;

import dev.ramet.api.ErrorCode;
import dev.ramet.api.RametException;
import dev.ramet.api.SandboxInfo;
import dev.ramet.engine.Sandbox;
import dev.ramet.engine.Sandboxes;
import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.PathVariable;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Status;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import java.time.Duration;

/** Stops sandboxes and lets them go on. */
@Controller
@ExecuteOn(TaskExecutors.BLOCKING)
final class PauseController {
  private final EngineHolder engine;
  private final Views views;

  PauseController(EngineHolder engine, Views views) {
    this.engine = engine;
    this.views = views;
  }

  private record Pause(@Nullable Boolean memory, @Nullable String memoryMode) {}

  private record Connect(@Nullable Integer timeout, @Nullable Boolean memory) {}

  @Post(uris = {"/sandboxes/{id}/pause", "/v2/sandboxes/{id}/pause"})
  @Status(HttpStatus.NO_CONTENT)
  void pause(@PathVariable String id, @Body @Nullable String body) {
    Pause request = Json.read(body, Pause.class);
    Boolean memory = request.memory();
    sandboxes().pause(Checks.sandboxId(id), memory == null || memory, request.memoryMode());
  }

  /**
   * Resumes a paused sandbox (201); one that runs is left as it is (200), and its end is never
   * brought nearer. Clients of the older protocol resume where those of the newer one connect.
   */
  @Post(
      uris = {
        "/sandboxes/{id}/connect",
        "/v2/sandboxes/{id}/connect",
        "/sandboxes/{id}/resume",
        "/v2/sandboxes/{id}/resume"
      })
  HttpResponse<SandboxInfo> connect(@PathVariable String id, @Body @Nullable String body) {
    Connect request = Json.read(body, Connect.class);
    Duration timeout = Checks.timeout("timeout", request.timeout(), Checks.DEFAULT_TIMEOUT_SECONDS);
    Sandbox sandbox = sandboxes().get(Checks.sandboxId(id));
    if (sandbox.state() == Sandbox.State.FAILED) {
      throw new RametException(
          ErrorCode.CONFLICT,
          "sandbox " + id + " has failed: " + sandbox.stateDetail(),
          "roll it back to a snapshot, or kill it",
          null);
    }
    if (sandbox.state() == Sandbox.State.PAUSED) {
      Boolean memory = request.memory();
      return HttpResponse.created(
          views.of(
              sandboxes().resume(id, new Sandboxes.Timeout(timeout), memory == null || memory)));
    }
    return HttpResponse.ok(views.of(Requests.prolong(sandboxes(), sandbox, timeout)));
  }

  private Sandboxes sandboxes() {
    return engine.get().sandboxes();
  }
}
