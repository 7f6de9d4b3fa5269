// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.api.CreateSandbox;
import dev.ramet.api.RametException;
import dev.ramet.api.SandboxInfo;
import dev.ramet.engine.NewSandbox;
import dev.ramet.engine.Sandbox;
import dev.ramet.engine.Sandboxes;
import dev.ramet.server.access.Access;
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
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** A sandbox's life: create, list, look at, prolong, kill. */
@Controller
@ExecuteOn(TaskExecutors.BLOCKING)
final class SandboxController {
  private static final Paging<Sandbox> PAGING = new Paging<>(Sandbox::startedAt, Sandbox::id);

  private final EngineHolder engine;
  private final Views views;
  private final Access access;

  SandboxController(EngineHolder engine, Views views, Access access) {
    this.engine = engine;
    this.views = views;
    this.access = access;
  }

  private record Timeout(@Nullable Integer timeout) {}

  private record Refresh(@Nullable Integer duration) {}

  @Post(uris = {"/sandboxes", "/v2/sandboxes"})
  @Status(HttpStatus.CREATED)
  SandboxInfo create(
      HttpRequest<?> http, @QueryValue @Nullable String wait, @Body @Nullable String body) {
    JsonNode tree = Json.tree(body);
    Unsupported.refuseAtCreate(tree);
    CreateSandbox request = Json.convert(tree, CreateSandbox.class);
    String template =
        Checks.reference("template", Checks.required("templateID", request.templateID()));
    // The newer path has no field that asks for a token: its sandboxes always have one.
    // So have those of a host that others can reach.
    boolean secure = http.getPath().startsWith("/v2/") || access.required();
    NewSandbox wanted = Requests.sandbox(request, template, secure);
    Waiting.before(engine, template, wait);
    return views.of(sandboxes().create(wanted));
  }

  @Get(uris = {"/sandboxes", "/v2/sandboxes"})
  HttpResponse<List<SandboxInfo>> list(
      @QueryValue @Nullable String metadata,
      @QueryValue @Nullable String state,
      @QueryValue @Nullable String template,
      @QueryValue @Nullable String startedAfter,
      @QueryValue @Nullable String order,
      @QueryValue @Nullable Integer limit,
      @QueryValue @Nullable String nextToken) {
    if (order != null && !order.equals("asc") && !order.equals("desc")) {
      throw RametException.invalid("order", "must be asc or desc");
    }
    List<Sandbox> found =
        sandboxes().list().stream()
            .filter(SandboxFilter.of(state, metadata, template, startedAfter))
            .toList();
    return PAGING.page(found, "asc".equals(order), limit, nextToken, views::listed);
  }

  @Get(uris = {"/sandboxes/{id}", "/v2/sandboxes/{id}"})
  SandboxInfo get(@PathVariable String id) {
    return views.of(sandboxes().get(Checks.sandboxId(id)));
  }

  @Delete(uris = {"/sandboxes/{id}", "/v2/sandboxes/{id}"})
  @Status(HttpStatus.NO_CONTENT)
  void kill(@PathVariable String id) {
    sandboxes().kill(Checks.sandboxId(id));
  }

  @Post(uris = {"/sandboxes/{id}/timeout", "/v2/sandboxes/{id}/timeout"})
  @Status(HttpStatus.NO_CONTENT)
  void timeout(@PathVariable String id, @Body @Nullable String body) {
    Integer seconds = Json.read(body, Timeout.class).timeout();
    if (seconds == null) {
      throw RametException.invalid("timeout", "is required");
    }
    Duration timeout = Checks.timeout("timeout", seconds, seconds);
    sandboxes().setEnd(Checks.sandboxId(id), timeout == null ? null : Instant.now().plus(timeout));
  }

  @Post(uris = {"/sandboxes/{id}/refreshes", "/v2/sandboxes/{id}/refreshes"})
  @Status(HttpStatus.NO_CONTENT)
  void refresh(@PathVariable String id, @Body @Nullable String body) {
    Integer seconds = Json.read(body, Refresh.class).duration();
    Duration duration = Checks.timeout("duration", seconds, Checks.DEFAULT_TIMEOUT_SECONDS);
    Requests.prolong(sandboxes(), sandboxes().get(Checks.sandboxId(id)), duration);
  }

  private Sandboxes sandboxes() {
    return engine.get().sandboxes();
  }
}
