// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.snapshot;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.api.sandbox.CreateSandbox;
import dev.ramet.api.sandbox.SandboxInfo;
import dev.ramet.api.snapshot.CreateSnapshot;
import dev.ramet.api.snapshot.SnapshotDiff;
import dev.ramet.api.snapshot.SnapshotInfo;
import dev.ramet.engine.IdListener;
import dev.ramet.engine.sandboxes.NewSandbox;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.snapshots.NewSnapshot;
import dev.ramet.engine.snapshots.Snapshot;
import dev.ramet.engine.snapshots.Snapshots;
import dev.ramet.errors.RametException;
import dev.ramet.server.access.AccessControl;
import dev.ramet.server.host.EngineHolder;
import dev.ramet.server.host.EngineLookup;
import dev.ramet.server.host.SnapshotWait;
import dev.ramet.server.http.FieldValidation;
import dev.ramet.server.http.JsonBody;
import dev.ramet.server.http.Paging;
import dev.ramet.server.http.UnsupportedFields;
import dev.ramet.server.operation.OperationRequest;
import dev.ramet.server.operation.OperationResult;
import dev.ramet.server.operation.OperationRunner;
import dev.ramet.server.sandbox.SandboxRequests;
import dev.ramet.server.view.DiffView;
import dev.ramet.server.view.SandboxView;
import dev.ramet.server.view.SnapshotView;
import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Delete;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.PathVariable;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.http.annotation.Status;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.List;
import java.util.Optional;

/** Routes for snapshots: take, list, get, compare, start from, delete. */
@Controller
@Tag(name = "snapshots")
@ExecuteOn(TaskExecutors.BLOCKING)
final class SnapshotController {
  private static final Paging<Snapshot> PAGING = new Paging<>(Snapshot::createdAt, Snapshot::id);

  private static final int DEFAULT_RANGES = 1000;
  private static final int MAX_RANGES = 100_000;

  private final EngineHolder engine;
  private final SandboxView views;
  private final AccessControl access;
  private final OperationRunner work;

  SnapshotController(
      EngineHolder engine, SandboxView views, AccessControl access, OperationRunner work) {
    this.engine = engine;
    this.views = views;
    this.access = access;
    this.work = work;
  }

  /**
   * Captures a sandbox at one instant: disk, memory and devices.
   *
   * @param id the sandbox
   * @param wait false: respond 202 as soon as the machine runs again, while the snapshot is still
   *     being written
   * @return the snapshot
   */
  @Post(uris = {"/sandboxes/{id}/snapshots", "/v2/sandboxes/{id}/snapshots"})
  @ApiResponse(
      responseCode = "200",
      description = "the last snapshot, because nothing changed since (ifChanged)",
      content = @Content(schema = @Schema(implementation = SnapshotInfo.class)))
  @ApiResponse(
      responseCode = "201",
      description = "the snapshot, which is durable",
      content = @Content(schema = @Schema(implementation = SnapshotInfo.class)))
  @ApiResponse(
      responseCode = "202",
      description = "the snapshot, which is still being written",
      content = @Content(schema = @Schema(implementation = SnapshotInfo.class)))
  HttpResponse<SnapshotInfo> createSnapshot(
      HttpRequest<?> http,
      @PathVariable String id,
      @QueryValue @Nullable String wait,
      @Body @Nullable @Schema(implementation = CreateSnapshot.class) String body) {
    boolean waits = FieldValidation.flag("wait", wait, true);
    CreateSnapshot request = JsonBody.read(body, CreateSnapshot.class);
    String name = FieldValidation.optionalTagged("name", request.name());
    if (Boolean.TRUE.equals(request.ifChanged())) {
      if (name != null || request.description() != null) {
        throw RametException.invalid(
            "ifChanged",
            "cannot be combined with a name or a description, because an existing snapshot keeps"
                + " its own");
      }
      if (request.replaces() != null) {
        throw RametException.invalid("ifChanged", "cannot be combined with \"replaces\"");
      }
      if (Boolean.FALSE.equals(request.memory())) {
        throw RametException.invalid("ifChanged", "cannot be combined with \"memory\": false");
      }
    }
    String sandbox = FieldValidation.sandboxId(id);
    OperationResult<SnapshotInfo> outcome =
        work.runOnce(
            OperationRequest.from(http, "snapshot.create", sandbox, body),
            JsonBody.reader(SnapshotInfo.class),
            (operation, listener) -> createOrReuse(sandbox, request, waits, listener),
            ids -> EngineLookup.snapshot(engine, ids).map(s -> response(s, HttpStatus.CREATED)));
    return HttpResponse.<SnapshotInfo>status(outcome.status(), null).body(outcome.body());
  }

  private OperationResult<SnapshotInfo> createOrReuse(
      String sandbox, CreateSnapshot request, boolean waits, IdListener listener) {
    if (Boolean.TRUE.equals(request.ifChanged())) {
      Optional<Snapshot> same = snapshots().findUnchanged(sandbox);
      if (same.isPresent()) {
        return response(same.get(), HttpStatus.OK);
      }
    }
    Snapshot made =
        snapshots()
            .create(
                new NewSnapshot(
                    sandbox,
                    request.name(),
                    request.description(),
                    request.memoryMode(),
                    waits,
                    Boolean.TRUE.equals(request.verify()),
                    !Boolean.FALSE.equals(request.memory()),
                    request.replaces()),
                listener);
    // Accepted, because it is not complete yet.
    return response(
        made, made.status() == Snapshot.Status.WRITING ? HttpStatus.ACCEPTED : HttpStatus.CREATED);
  }

  private OperationResult<SnapshotInfo> response(Snapshot snapshot, HttpStatus status) {
    return new OperationResult<>(
        status.getCode(), SnapshotView.of(snapshot), List.of(snapshot.id()));
  }

  /**
   * Lists snapshots page by page, newest first; the header {@code x-next-token} has the token for
   * the next page.
   *
   * @param sandboxID only snapshots of this sandbox
   * @param name only snapshots with this name, or the one with this name:tag or id
   * @param limit entries per page, 1 to 100
   * @param nextToken token of the previous page
   * @return one page
   */
  @Get("/snapshots")
  HttpResponse<List<SnapshotInfo>> listSnapshots(
      @QueryValue @Nullable String sandboxID,
      @QueryValue @Nullable String name,
      @QueryValue @Nullable Integer limit,
      @QueryValue @Nullable String nextToken) {
    List<Snapshot> found =
        snapshots().list(sandboxID == null || sandboxID.isEmpty() ? null : sandboxID).stream()
            .filter(s -> name == null || name.isEmpty() || SnapshotNames.matches(s, name))
            .toList();
    return PAGING.page(found, false, limit, nextToken, SnapshotView::of);
  }

  /**
   * Returns a snapshot.
   *
   * @param id id, name, or name:tag
   * @param wait true: respond only when it is no longer being written
   * @param timeout maximum number of seconds to wait, 0 to 3600
   * @return the snapshot
   */
  @Get("/snapshots/{id}")
  SnapshotInfo getSnapshot(
      @PathVariable String id,
      @QueryValue @Nullable String wait,
      @QueryValue @Nullable Integer timeout) {
    String reference = FieldValidation.reference("snapshot", id);
    if (FieldValidation.flag("wait", wait)) {
      snapshots().await(reference, SnapshotWait.maxWait(timeout));
    }
    return SnapshotView.of(snapshots().get(reference));
  }

  /**
   * Compares two snapshots, memory with memory and disk with disk.
   *
   * @param id id, name, or name:tag of the first
   * @param other id, name, or name:tag of the second
   * @param limit maximum number of differing ranges to return of each, 0 to 100000
   * @param wait false: respond 409 instead of waiting for a snapshot that is still being written
   * @return their differences
   */
  @Get("/snapshots/{id}/diff/{other}")
  SnapshotDiff diffSnapshots(
      @PathVariable String id,
      @PathVariable String other,
      @QueryValue @Nullable Integer limit,
      @QueryValue @Nullable String wait) {
    Integer ranges = FieldValidation.range("limit", limit, 0, MAX_RANGES);
    String a = FieldValidation.reference("snapshot", id);
    String b = FieldValidation.reference("snapshot", other);
    SnapshotWait.await(engine, a, wait);
    SnapshotWait.await(engine, b, wait);
    return DiffView.of(snapshots().diff(a, b, ranges == null ? DEFAULT_RANGES : ranges));
  }

  /**
   * Deletes a snapshot. Its files are removed when the last sandbox that started from it no longer
   * exists.
   *
   * @param id id or name:tag for one version, or name for all versions of that name
   * @param strict true: respond 409, naming the sandboxes, while any of them uses it
   * @param wait false: respond 409 instead of waiting for a snapshot that is still being written
   */
  @Delete("/snapshots/{id}")
  @Status(HttpStatus.NO_CONTENT)
  void deleteSnapshot(
      HttpRequest<?> http,
      @PathVariable String id,
      @QueryValue @Nullable String strict,
      @QueryValue @Nullable String wait) {
    boolean whenUnused = FieldValidation.flag("strict", strict);
    boolean waits = FieldValidation.flag("wait", wait, true);
    String reference = FieldValidation.reference("snapshot", id);
    work.run(
        OperationRequest.from(http, "snapshot.delete", reference, null),
        operation -> {
          SnapshotWait.await(engine, reference, waits);
          snapshots().delete(reference, whenUnused);
          return reference;
        });
  }

  /**
   * Starts a sandbox from a snapshot, like creating one with the snapshot as its template. With
   * sizes other than the snapshot's, it boots from the disk; {@code diskSizeMB} alone is accepted
   * only for snapshots that boot anyway.
   *
   * @param id id, name, or name:tag
   * @param wait false: respond 409 instead of waiting for a snapshot that is still being written
   * @return the sandbox
   */
  @Post("/snapshots/{id}/fork")
  @Status(HttpStatus.CREATED)
  SandboxInfo forkSnapshot(
      HttpRequest<?> http,
      @PathVariable String id,
      @QueryValue @Nullable String wait,
      @Body @Nullable @Schema(implementation = CreateSandbox.class) String body) {
    JsonNode tree = JsonBody.tree(body);
    UnsupportedFields.refuseAtCreate(tree);
    CreateSandbox request = JsonBody.convert(tree, CreateSandbox.class);
    String reference = FieldValidation.reference("snapshot", id);
    boolean waits = FieldValidation.flag("wait", wait, true);
    return work.runOnce(
            OperationRequest.from(http, "snapshot.fork", reference, body),
            JsonBody.reader(SandboxInfo.class),
            (operation, listener) -> {
              SnapshotWait.await(engine, reference, waits);
              Snapshot snapshot = snapshots().get(reference);
              NewSandbox wanted =
                  SandboxRequests.sandbox(request, snapshot.id(), access.required());
              Sandbox made = engine.get().sandboxes().create(wanted, listener);
              return OperationResult.created(views.of(made), made.id());
            },
            ids ->
                EngineLookup.sandbox(engine, ids)
                    .map(s -> OperationResult.created(views.of(s), s.id())))
        .body();
  }

  private Snapshots snapshots() {
    return engine.get().snapshots();
  }
}
