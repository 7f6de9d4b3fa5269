// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.sandbox;

import dev.ramet.api.sandbox.SandboxInfo;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.sandboxes.Sandboxes;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.server.host.EngineHolder;
import dev.ramet.server.http.FieldValidation;
import dev.ramet.server.http.JsonBody;
import dev.ramet.server.operation.OperationRequest;
import dev.ramet.server.operation.OperationResult;
import dev.ramet.server.operation.OperationRunner;
import dev.ramet.server.view.SandboxView;
import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.PathVariable;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Status;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Routes to pause and resume sandboxes. */
@Controller
@Tag(name = "sandboxes")
@ExecuteOn(TaskExecutors.BLOCKING)
final class PauseController {
  private final EngineHolder engine;
  private final SandboxView views;

  private final OperationRunner work;

  PauseController(EngineHolder engine, SandboxView views, OperationRunner work) {
    this.engine = engine;
    this.views = views;
    this.work = work;
  }

  /**
   * Options of a pause.
   *
   * @param memory whether its memory is kept, or null for yes; without memory, it boots when
   *     resumed
   * @param memoryMode the only memory mode to use for it, or null for the best one
   */
  private record PauseSandbox(@Nullable Boolean memory, @Nullable String memoryMode) {}

  /**
   * Options of a resume.
   *
   * @param timeout lifetime in seconds, -1 for no limit; null for the timeout that a paused sandbox
   *     was last given, and 300 for a running one
   * @param memory whether to use the kept memory, or null for yes; otherwise it boots
   * @param replaceNever whether the timeout also applies to a paused sandbox that was to live for
   *     ever; null for no
   */
  private record ConnectSandbox(
      @Nullable Integer timeout, @Nullable Boolean memory, @Nullable Boolean replaceNever) {}

  /**
   * Pauses a sandbox, so that it uses neither memory nor CPU until it is resumed.
   *
   * @param id the sandbox
   */
  @Post(uris = {"/sandboxes/{id}/pause", "/v2/sandboxes/{id}/pause"})
  @Status(HttpStatus.NO_CONTENT)
  void pauseSandbox(
      HttpRequest<?> http,
      @PathVariable String id,
      @Body @Nullable @Schema(implementation = PauseSandbox.class) String body) {
    PauseSandbox request = JsonBody.read(body, PauseSandbox.class);
    Boolean memory = request.memory();
    String sandbox = FieldValidation.sandboxId(id);
    work.run(
        OperationRequest.from(http, "sandbox.pause", sandbox, body),
        operation -> sandboxes().pause(sandbox, memory == null || memory, request.memoryMode()));
  }

  /**
   * Resumes a paused sandbox (201). Without a timeout it gets the one it was last given, and one
   * that was to live for ever still does. A running sandbox is left unchanged (200), and its
   * timeout is never shortened. Clients of the older protocol resume where those of the newer one
   * connect.
   *
   * @param id the sandbox
   * @return the sandbox, running
   */
  @Post(
      uris = {
        "/sandboxes/{id}/connect",
        "/v2/sandboxes/{id}/connect",
        "/sandboxes/{id}/resume",
        "/v2/sandboxes/{id}/resume"
      })
  @ApiResponse(
      responseCode = "200",
      description = "the sandbox was already running",
      content = @Content(schema = @Schema(implementation = SandboxInfo.class)))
  @ApiResponse(
      responseCode = "201",
      description = "the sandbox was resumed",
      content = @Content(schema = @Schema(implementation = SandboxInfo.class)))
  HttpResponse<SandboxInfo> connectSandbox(
      HttpRequest<?> http,
      @PathVariable String id,
      @Body @Nullable @Schema(implementation = ConnectSandbox.class) String body) {
    ConnectSandbox request = JsonBody.read(body, ConnectSandbox.class);
    Duration duration =
        FieldValidation.timeout(
            "timeout", request.timeout(), SandboxRequests.DEFAULT_TIMEOUT_SECONDS);
    boolean replacesNever = Boolean.TRUE.equals(request.replaceNever());
    Sandboxes.Timeout wanted =
        request.timeout() == null ? null : new Sandboxes.Timeout(duration, replacesNever);
    Boolean memory = request.memory();
    String sandbox = FieldValidation.sandboxId(id);
    OperationResult<SandboxInfo> outcome =
        work.runOnce(
            OperationRequest.from(http, "sandbox.connect", sandbox, body),
            JsonBody.reader(SandboxInfo.class),
            (operation, listener) -> connect(sandbox, wanted, duration, memory == null || memory),
            ids -> Optional.empty());
    return HttpResponse.<SandboxInfo>status(outcome.status(), null).body(outcome.body());
  }

  /**
   * Resumes a sandbox, or extends the lifetime of one that runs.
   *
   * @param wanted the timeout of a paused one, or null for the one it was last given
   * @param extension the least time left of a running one, or null for no limit
   */
  private OperationResult<SandboxInfo> connect(
      String id, Sandboxes.@Nullable Timeout wanted, @Nullable Duration extension, boolean memory) {
    Sandbox sandbox = sandboxes().get(id);
    if (sandbox.state() == Sandbox.State.FAILED) {
      throw new RametException(
          ErrorCode.CONFLICT,
          "sandbox " + id + " has failed: " + sandbox.stateDetail(),
          "restart it, roll it back to a snapshot, or kill it",
          null);
    }
    if (sandbox.state() == Sandbox.State.PAUSED) {
      Sandbox resumed = sandboxes().resume(sandbox.id(), wanted, memory);
      return new OperationResult<>(HttpStatus.CREATED.getCode(), views.of(resumed), List.of());
    }
    SandboxInfo running = views.of(SandboxRequests.extendTimeout(sandboxes(), sandbox, extension));
    return new OperationResult<>(HttpStatus.OK.getCode(), running, List.of());
  }

  private Sandboxes sandboxes() {
    return engine.get().sandboxes();
  }
}
