// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.sandbox;

import dev.ramet.api.operation.ApiError;
import dev.ramet.api.sandbox.CloneRequestBody;
import dev.ramet.api.sandbox.CloneResult;
import dev.ramet.api.sandbox.ForkEntry;
import dev.ramet.api.sandbox.RollbackRequest;
import dev.ramet.api.sandbox.RollbackResult;
import dev.ramet.api.sandbox.SandboxInfo;
import dev.ramet.api.snapshot.CaptureInfo;
import dev.ramet.engine.sandboxes.CloneReport;
import dev.ramet.engine.sandboxes.CloneRequest;
import dev.ramet.engine.sandboxes.ForkResult;
import dev.ramet.engine.sandboxes.RollbackReport;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.snapshots.CaptureReport;
import dev.ramet.errors.ErrorCode;
import dev.ramet.server.host.EngineHolder;
import dev.ramet.server.host.EngineLookup;
import dev.ramet.server.host.SnapshotWait;
import dev.ramet.server.http.ErrorHandlers;
import dev.ramet.server.http.FieldValidation;
import dev.ramet.server.http.JsonBody;
import dev.ramet.server.operation.OperationRequest;
import dev.ramet.server.operation.OperationResult;
import dev.ramet.server.operation.OperationRunner;
import dev.ramet.server.view.CaptureView;
import dev.ramet.server.view.SandboxView;
import dev.ramet.server.view.Units;
import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.PathVariable;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.http.annotation.Status;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/** Routes for rollback, clone and fork, which start from a sandbox's state at one instant. */
@Controller
@Tag(name = "sandboxes")
@ExecuteOn(TaskExecutors.BLOCKING)
final class CaptureController {
  private final EngineHolder engine;
  private final SandboxView views;

  private final OperationRunner work;

  CaptureController(EngineHolder engine, SandboxView views, OperationRunner work) {
    this.engine = engine;
    this.views = views;
    this.work = work;
  }

  /**
   * Rolls a sandbox back to a snapshot: disk, memory and processes. Its id stays the same. If the
   * rollback fails, the sandbox is unchanged.
   *
   * @param id the sandbox
   * @param wait false: respond 409 instead of waiting for a snapshot that is still being written
   * @return the result of the rollback
   */
  @Post(uris = {"/sandboxes/{id}/rollback", "/v2/sandboxes/{id}/rollback"})
  RollbackResult rollbackSandbox(
      HttpRequest<?> http,
      @PathVariable String id,
      @QueryValue @Nullable String wait,
      @Body @Nullable @Schema(implementation = RollbackRequest.class) String body) {
    RollbackRequest request = JsonBody.read(body, RollbackRequest.class);
    String snapshot =
        FieldValidation.reference(
            "snapshot", FieldValidation.required("snapshotID", request.snapshotID()));
    boolean waits = FieldValidation.flag("wait", wait, true);
    String sandbox = FieldValidation.sandboxId(id);
    return work.runOnce(
            OperationRequest.from(http, "sandbox.rollback", sandbox, body),
            JsonBody.reader(RollbackResult.class),
            (operation, listener) -> {
              SnapshotWait.await(engine, snapshot, waits);
              operation.step("to " + snapshot);
              RollbackReport report = engine.get().sandboxes().rollback(sandbox, snapshot);
              return new OperationResult<>(
                  200,
                  new RollbackResult(
                      report.sandbox().id(),
                      report.snapshotId(),
                      operation.id(),
                      "READY",
                      Units.millis(report.totalNanos())),
                  List.of());
            },
            ids -> Optional.empty())
        .body();
  }

  /**
   * Clones a sandbox at one instant: creates all requested sandboxes, or none.
   *
   * @param id the sandbox
   * @return the clones
   */
  @Post(uris = {"/sandboxes/{id}/clone", "/v2/sandboxes/{id}/clone"})
  @Status(HttpStatus.CREATED)
  CloneResult cloneSandbox(
      HttpRequest<?> http,
      @PathVariable String id,
      @Body @Nullable @Schema(implementation = CloneRequestBody.class) String body) {
    CloneRequest request = request(body, SandboxRequests.DEFAULT_TIMEOUT_SECONDS);
    String sandbox = FieldValidation.sandboxId(id);
    return work.runOnce(
            OperationRequest.from(http, "sandbox.clone", sandbox, body),
            JsonBody.reader(CloneResult.class),
            (operation, listener) -> {
              CloneReport report = engine.get().sandboxes().clone(sandbox, request, listener);
              CaptureReport capture = report.capture();
              return cloned(
                  report.sandboxes(),
                  capture == null ? null : CaptureView.of(capture),
                  report.totalNanos());
            },
            ids -> EngineLookup.sandboxes(engine, ids).map(found -> cloned(found, null, 0)))
        .body();
  }

  private OperationResult<CloneResult> cloned(
      List<Sandbox> clones, @Nullable CaptureInfo capture, long nanos) {
    return new OperationResult<>(
        201,
        new CloneResult(clones.stream().map(views::of).toList(), capture, Units.millis(nanos)),
        clones.stream().map(Sandbox::id).toList());
  }

  /**
   * Forks a sandbox at one instant; each child succeeds or fails separately.
   *
   * @param id the sandbox
   * @return an entry for each requested child
   */
  @Post(uris = {"/sandboxes/{id}/fork", "/v2/sandboxes/{id}/fork"})
  @Status(HttpStatus.CREATED)
  List<ForkEntry> forkSandbox(
      HttpRequest<?> http,
      @PathVariable String id,
      @Body @Nullable @Schema(implementation = CloneRequestBody.class) String body) {
    CloneRequest request = request(body, FieldValidation.DEFAULT_FORK_TIMEOUT_SECONDS);
    String sandbox = FieldValidation.sandboxId(id);
    return work.<List<ForkEntry>>runOnce(
            OperationRequest.from(http, "sandbox.fork", sandbox, body),
            JsonBody.listReader(ForkEntry.class),
            (operation, listener) ->
                forked(
                    engine.get().sandboxes().fork(sandbox, request, listener).stream()
                        .map(result -> entry(id, result))
                        .toList()),
            ids ->
                EngineLookup.sandboxes(engine, ids)
                    .map(found -> forked(entries(found, ids.size()))))
        .body();
  }

  private static OperationResult<List<ForkEntry>> forked(List<ForkEntry> entries) {
    return new OperationResult<>(
        201,
        entries,
        entries.stream()
            .map(ForkEntry::sandbox)
            .filter(Objects::nonNull)
            .map(SandboxInfo::sandboxID)
            .toList());
  }

  /**
   * Used after the host was killed during the fork: the children that exist, and errors for the
   * others.
   */
  private List<ForkEntry> entries(List<Sandbox> found, int count) {
    ApiError lost =
        ApiError.of(
            ErrorCode.UNAVAILABLE, "the host stopped before this sandbox was created", null);
    return Stream.concat(
            found.stream().map(sandbox -> new ForkEntry(views.of(sandbox), null)),
            Stream.generate(() -> new ForkEntry(null, lost)).limit(count - found.size()))
        .toList();
  }

  private ForkEntry entry(String id, ForkResult result) {
    if (result instanceof ForkResult.Made made) {
      return new ForkEntry(views.of(made.sandbox()), null);
    }
    return new ForkEntry(
        null, ErrorHandlers.body(((ForkResult.NotMade) result).error(), "fork of " + id));
  }

  private static CloneRequest request(@Nullable String body, int defaultTimeoutSeconds) {
    CloneRequestBody request = JsonBody.read(body, CloneRequestBody.class);
    Integer count = FieldValidation.range("count", request.count(), 1, 100);
    return new CloneRequest(
        count == null ? 1 : count,
        FieldValidation.range("concurrency", request.concurrency(), 1, 100),
        FieldValidation.timeout("timeout", request.timeout(), defaultTimeoutSeconds),
        request.memoryMode());
  }
}
