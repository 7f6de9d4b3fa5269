// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server;

import dev.ramet.api.CloneRequestBody;
import dev.ramet.api.CloneResult;
import dev.ramet.api.ForkEntry;
import dev.ramet.api.RollbackRequest;
import dev.ramet.api.RollbackResult;
import dev.ramet.engine.CaptureReport;
import dev.ramet.engine.CloneReport;
import dev.ramet.engine.CloneRequest;
import dev.ramet.engine.ForkResult;
import dev.ramet.engine.RollbackReport;
import io.micronaut.core.annotation.Nullable;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What starts from an instant of a sandbox: rollback, clone, fork. */
@Controller
@Tag(name = "sandboxes")
@ExecuteOn(TaskExecutors.BLOCKING)
final class CaptureController {
  private static final Logger LOG = LoggerFactory.getLogger(CaptureController.class);

  private final EngineHolder engine;
  private final Views views;

  CaptureController(EngineHolder engine, Views views) {
    this.engine = engine;
    this.views = views;
  }

  /**
   * Puts a sandbox back to a snapshot: disk, memory and processes. Its id stays. When it fails, the
   * sandbox is as it was.
   *
   * @param id the sandbox
   * @param wait false: do not wait for a snapshot that is still being written, but answer 409
   * @return what was done
   */
  @Post(uris = {"/sandboxes/{id}/rollback", "/v2/sandboxes/{id}/rollback"})
  RollbackResult rollbackSandbox(
      @PathVariable String id,
      @QueryValue @Nullable String wait,
      @Body @Nullable @Schema(implementation = RollbackRequest.class) String body) {
    RollbackRequest request = Json.read(body, RollbackRequest.class);
    String snapshot =
        Checks.reference("snapshot", Checks.required("snapshotID", request.snapshotID()));
    Waiting.before(engine, snapshot, wait);
    String operation = Operations.next();
    LOG.info("operation {}: roll sandbox {} back to {}", operation, id, snapshot);
    RollbackReport report = engine.get().sandboxes().rollback(Checks.sandboxId(id), snapshot);
    return new RollbackResult(
        report.sandbox().id(),
        report.snapshotId(),
        operation,
        "READY",
        Views.millis(report.totalNanos()));
  }

  /**
   * Makes sandboxes from one instant of a sandbox: all of them, or none.
   *
   * @param id the sandbox
   * @return the clones
   */
  @Post(uris = {"/sandboxes/{id}/clone", "/v2/sandboxes/{id}/clone"})
  @Status(HttpStatus.CREATED)
  CloneResult cloneSandbox(
      @PathVariable String id,
      @Body @Nullable @Schema(implementation = CloneRequestBody.class) String body) {
    CloneRequest request = request(body, Checks.DEFAULT_TIMEOUT_SECONDS);
    CloneReport report = engine.get().sandboxes().clone(Checks.sandboxId(id), request);
    CaptureReport capture = report.capture();
    return new CloneResult(
        report.sandboxes().stream().map(views::of).toList(),
        capture == null ? null : views.of(capture),
        Views.millis(report.totalNanos()));
  }

  /**
   * Makes sandboxes from one instant of a sandbox, and tells of each whether it was made.
   *
   * @param id the sandbox
   * @return an entry for each that was asked for
   */
  @Post(uris = {"/sandboxes/{id}/fork", "/v2/sandboxes/{id}/fork"})
  @Status(HttpStatus.CREATED)
  List<ForkEntry> forkSandbox(
      @PathVariable String id,
      @Body @Nullable @Schema(implementation = CloneRequestBody.class) String body) {
    CloneRequest request = request(body, Checks.DEFAULT_FORK_TIMEOUT_SECONDS);
    return engine.get().sandboxes().fork(Checks.sandboxId(id), request).stream()
        .map(result -> entry(id, result))
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
    CloneRequestBody request = Json.read(body, CloneRequestBody.class);
    Integer count = Checks.range("count", request.count(), 1, 100);
    return new CloneRequest(
        count == null ? 1 : count,
        Checks.range("concurrency", request.concurrency(), 1, 100),
        Checks.timeout("timeout", request.timeout(), defaultTimeoutSeconds),
        request.memoryMode());
  }
}
