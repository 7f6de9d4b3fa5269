// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.api.CreateSandbox;
import dev.ramet.api.CreateSnapshot;
import dev.ramet.api.RametException;
import dev.ramet.api.SandboxInfo;
import dev.ramet.api.SnapshotDiff;
import dev.ramet.api.SnapshotInfo;
import dev.ramet.engine.NewSandbox;
import dev.ramet.engine.NewSnapshot;
import dev.ramet.engine.Snapshot;
import dev.ramet.engine.Snapshots;
import dev.ramet.server.access.Access;
import io.micronaut.core.annotation.Nullable;
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
import java.util.List;
import java.util.Optional;

/** Snapshots: take, list, look at, start from, delete. */
@Controller
@ExecuteOn(TaskExecutors.BLOCKING)
final class SnapshotController {
  private static final Paging<Snapshot> PAGING = new Paging<>(Snapshot::createdAt, Snapshot::id);

  private static final int USUAL_RANGES = 1000;
  private static final int MOST_RANGES = 100_000;

  private final EngineHolder engine;
  private final Views views;
  private final Access access;

  SnapshotController(EngineHolder engine, Views views, Access access) {
    this.engine = engine;
    this.views = views;
    this.access = access;
  }

  @Post(uris = {"/sandboxes/{id}/snapshots", "/v2/sandboxes/{id}/snapshots"})
  HttpResponse<SnapshotInfo> create(
      @PathVariable String id, @QueryValue @Nullable String wait, @Body @Nullable String body) {
    boolean waits = Checks.flag("wait", wait, true);
    CreateSnapshot request = Json.read(body, CreateSnapshot.class);
    String name = Checks.optionalName("name", request.name());
    if (Boolean.TRUE.equals(request.ifChanged())) {
      if (name != null || request.description() != null) {
        throw RametException.invalid(
            "ifChanged", "cannot go with a name or a description: a snapshot keeps its own");
      }
      if (request.replaces() != null) {
        throw RametException.invalid("ifChanged", "cannot go with \"replaces\"");
      }
      if (Boolean.FALSE.equals(request.memory())) {
        throw RametException.invalid("ifChanged", "cannot go with \"memory\": false");
      }
      Optional<Snapshot> same = snapshots().unchanged(Checks.sandboxId(id));
      if (same.isPresent()) {
        return HttpResponse.ok(views.of(same.get()));
      }
    }
    Snapshot made =
        snapshots()
            .create(
                new NewSnapshot(
                    Checks.sandboxId(id),
                    name,
                    request.description(),
                    request.memoryMode(),
                    waits,
                    Boolean.TRUE.equals(request.verify()),
                    !Boolean.FALSE.equals(request.memory()),
                    request.replaces()));
    // Accepted: it is not there yet.
    HttpStatus status =
        made.status() == Snapshot.Status.WRITING ? HttpStatus.ACCEPTED : HttpStatus.CREATED;
    return HttpResponse.<SnapshotInfo>status(status).body(views.of(made));
  }

  @Get("/snapshots")
  HttpResponse<List<SnapshotInfo>> list(
      @QueryValue @Nullable String sandboxID,
      @QueryValue @Nullable String name,
      @QueryValue @Nullable Integer limit,
      @QueryValue @Nullable String nextToken) {
    String wanted = name == null || name.isEmpty() ? null : name.split(":", 2)[0];
    List<Snapshot> found =
        snapshots().list(sandboxID == null || sandboxID.isEmpty() ? null : sandboxID).stream()
            .filter(s -> wanted == null || wanted.equals(s.name()) || wanted.equals(s.id()))
            .toList();
    return PAGING.page(found, false, limit, nextToken, views::of);
  }

  @Get("/snapshots/{id}")
  SnapshotInfo get(
      @PathVariable String id,
      @QueryValue @Nullable String wait,
      @QueryValue @Nullable Integer timeout) {
    String reference = Checks.reference("snapshot", id);
    if (Checks.flag("wait", wait)) {
      snapshots().await(reference, Waiting.atMost(timeout));
    }
    return views.of(snapshots().get(reference));
  }

  @Get("/snapshots/{id}/diff/{other}")
  SnapshotDiff diff(
      @PathVariable String id,
      @PathVariable String other,
      @QueryValue @Nullable Integer limit,
      @QueryValue @Nullable String wait) {
    Integer ranges = Checks.range("limit", limit, 0, MOST_RANGES);
    String a = Checks.reference("snapshot", id);
    String b = Checks.reference("snapshot", other);
    Waiting.before(engine, a, wait);
    Waiting.before(engine, b, wait);
    return views.of(snapshots().diff(a, b, ranges == null ? USUAL_RANGES : ranges));
  }

  @Delete("/snapshots/{id}")
  @Status(HttpStatus.NO_CONTENT)
  void delete(
      @PathVariable String id,
      @QueryValue @Nullable String strict,
      @QueryValue @Nullable String wait) {
    boolean whenUnused = Checks.flag("strict", strict);
    String reference = Checks.reference("snapshot", id);
    Waiting.before(engine, reference, wait);
    snapshots().delete(reference, whenUnused);
  }

  /** A sandbox from a snapshot; the same as creating one with the snapshot as its template. */
  @Post("/snapshots/{id}/fork")
  @Status(HttpStatus.CREATED)
  SandboxInfo fork(
      @PathVariable String id, @QueryValue @Nullable String wait, @Body @Nullable String body) {
    JsonNode tree = Json.tree(body);
    Unsupported.refuse(tree, "diskSizeMB");
    Unsupported.refuseAtCreate(tree);
    CreateSandbox request = Json.convert(tree, CreateSandbox.class);
    String reference = Checks.reference("snapshot", id);
    Waiting.before(engine, reference, wait);
    Snapshot snapshot = snapshots().get(reference);
    NewSandbox wanted = Requests.sandbox(request, snapshot.id(), access.required());
    return views.of(engine.get().sandboxes().create(wanted));
  }

  private Snapshots snapshots() {
    return engine.get().snapshots();
  }
}
