// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.sandbox;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.api.sandbox.CreateSandbox;
import dev.ramet.api.sandbox.NetworkRule;
import dev.ramet.api.sandbox.NetworkSettings;
import dev.ramet.api.sandbox.SandboxInfo;
import dev.ramet.egress.rule.NetworkRules;
import dev.ramet.engine.sandboxes.NewSandbox;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.sandboxes.Sandboxes;
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
import dev.ramet.server.view.SandboxView;
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
import io.micronaut.http.annotation.Put;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.http.annotation.Status;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** Routes for sandboxes: create, list, get, extend, kill, network rules. */
@Controller
@Tag(name = "sandboxes")
@ExecuteOn(TaskExecutors.BLOCKING)
final class SandboxController {
  private static final Paging<Sandbox> PAGING = new Paging<>(Sandbox::startedAt, Sandbox::id);

  private final EngineHolder engine;
  private final SandboxView views;
  private final AccessControl access;
  private final OperationRunner work;

  SandboxController(
      EngineHolder engine, SandboxView views, AccessControl access, OperationRunner work) {
    this.engine = engine;
    this.views = views;
    this.access = access;
    this.work = work;
  }

  /**
   * The timeout of a sandbox.
   *
   * @param timeout seconds from now, or -1 for never; required
   */
  private record SandboxTimeout(@Nullable Integer timeout) {}

  /**
   * The egress rules of a sandbox.
   *
   * @param allowOut exceptions from the denied addresses; null for none
   * @param denyOut denied addresses; null for none
   * @param allow_internet_access false to deny everything that is not allowed; null for yes
   * @param egressProxy the proxy for its outgoing connections; null for none
   * @param rules rules for its requests, by host name; null for none
   */
  @SuppressWarnings("MemberName") // the wire format spells it allow_internet_access
  private record SandboxNetwork(
      @Nullable List<String> allowOut,
      @Nullable List<String> denyOut,
      @Nullable Boolean allow_internet_access,
      NetworkSettings.@Nullable EgressProxy egressProxy,
      @Nullable Map<String, List<NetworkRule>> rules) {}

  /**
   * The extension of a sandbox's lifetime.
   *
   * @param duration seconds from now; null for 300
   */
  private record SandboxRefresh(@Nullable Integer duration) {}

  /**
   * Starts a sandbox from a template or snapshot.
   *
   * @param wait false: respond 409 instead of waiting for a snapshot that is still being written
   * @return the sandbox, once its agent responds
   */
  @Post(uris = {"/sandboxes", "/v2/sandboxes"})
  @Status(HttpStatus.CREATED)
  SandboxInfo createSandbox(
      HttpRequest<?> http,
      @QueryValue @Nullable String wait,
      @Body @Nullable @Schema(implementation = CreateSandbox.class) String body) {
    JsonNode tree = JsonBody.tree(body);
    UnsupportedFields.refuseAtCreate(tree);
    CreateSandbox request = JsonBody.convert(tree, CreateSandbox.class);
    String template =
        FieldValidation.reference(
            "template", FieldValidation.required("templateID", request.templateID()));
    // The newer path has no field to ask for a token: its sandboxes always have one. So do all
    // sandboxes of a host that others can reach.
    boolean secure = http.getPath().startsWith("/v2/") || access.required();
    NewSandbox wanted = SandboxRequests.sandbox(request, template, secure);
    boolean waits = FieldValidation.flag("wait", wait, true);
    return work.runOnce(
            OperationRequest.from(http, "sandbox.create", template, body),
            JsonBody.reader(SandboxInfo.class),
            (operation, listener) -> {
              SnapshotWait.await(engine, template, waits);
              Sandbox made = sandboxes().create(wanted, listener);
              return OperationResult.created(
                  views.made(made, sandboxes().memoryWarning(made.memoryBytes())), made.id());
            },
            ids ->
                EngineLookup.sandbox(engine, ids)
                    .map(s -> OperationResult.created(views.of(s), s.id())))
        .body();
  }

  /**
   * Lists sandboxes page by page; the header {@code x-next-token} has the token for the next page.
   *
   * @param metadata pairs that must all match, as {@code key=value} joined by {@code &}, each
   *     URL-encoded once more
   * @param state states joined by commas; all if absent
   * @param template id, name, or name:tag of the template or snapshot they were created from; a tag
   *     is resolved now
   * @param startedAfter an RFC 3339 time
   * @param order {@code asc} for the oldest first, {@code desc} for the newest
   * @param limit entries per page, 1 to 100
   * @param nextToken token of the previous page
   * @return one page
   */
  @Get(uris = {"/sandboxes", "/v2/sandboxes"})
  HttpResponse<List<SandboxInfo>> listSandboxes(
      HttpRequest<?> http,
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
    String source =
        template != null && template.indexOf(':') >= 0
            ? EngineLookup.id(engine, template).orElse(template)
            : template;
    List<Sandbox> found =
        sandboxes().list().stream()
            .filter(SandboxFilter.parse(state, metadata, source, startedAfter))
            // No parameter of the method, because the framework splits those at commas.
            .filter(SandboxFilter.labels(http.getParameters().getAll("label")))
            .toList();
    return PAGING.page(found, "asc".equals(order), limit, nextToken, views::listed);
  }

  /**
   * Returns a sandbox.
   *
   * @param id the sandbox
   * @return the sandbox
   */
  @Get(uris = {"/sandboxes/{id}", "/v2/sandboxes/{id}"})
  SandboxInfo getSandbox(@PathVariable String id) {
    return views.of(sandboxes().get(FieldValidation.sandboxId(id)));
  }

  /**
   * Kills a sandbox and deletes its disk. Its snapshots remain.
   *
   * @param id the sandbox
   */
  @Delete(uris = {"/sandboxes/{id}", "/v2/sandboxes/{id}"})
  @Status(HttpStatus.NO_CONTENT)
  void killSandbox(HttpRequest<?> http, @PathVariable String id) {
    String sandbox = FieldValidation.sandboxId(id);
    work.run(
        OperationRequest.from(http, "sandbox.kill", sandbox, null),
        operation -> {
          sandboxes().kill(sandbox);
          return sandbox;
        });
  }

  /**
   * Sets a sandbox's timeout in seconds from now; it may be sooner than before.
   *
   * @param id the sandbox
   */
  @Post(uris = {"/sandboxes/{id}/timeout", "/v2/sandboxes/{id}/timeout"})
  @Status(HttpStatus.NO_CONTENT)
  void setSandboxTimeout(
      @PathVariable String id,
      @Body @Nullable @Schema(implementation = SandboxTimeout.class) String body) {
    Integer seconds = JsonBody.read(body, SandboxTimeout.class).timeout();
    if (seconds == null) {
      throw RametException.invalid("timeout", "is required");
    }
    Duration timeout = FieldValidation.timeout("timeout", seconds, seconds);
    sandboxes()
        .setEnd(
            FieldValidation.sandboxId(id), timeout == null ? null : Instant.now().plus(timeout));
  }

  /**
   * Extends a sandbox's lifetime, and never shortens it.
   *
   * @param id the sandbox
   */
  @Post(uris = {"/sandboxes/{id}/refreshes", "/v2/sandboxes/{id}/refreshes"})
  @Status(HttpStatus.NO_CONTENT)
  void refreshSandbox(
      @PathVariable String id,
      @Body @Nullable @Schema(implementation = SandboxRefresh.class) String body) {
    Integer seconds = JsonBody.read(body, SandboxRefresh.class).duration();
    Duration duration =
        FieldValidation.timeout("duration", seconds, SandboxRequests.DEFAULT_TIMEOUT_SECONDS);
    SandboxRequests.extendTimeout(
        sandboxes(), sandboxes().get(FieldValidation.sandboxId(id)), duration);
  }

  /**
   * Replaces the egress rules of a sandbox. Takes effect at once, also for open connections.
   *
   * @param id the sandbox
   */
  @Put(uris = {"/sandboxes/{id}/network", "/v2/sandboxes/{id}/network"})
  @Status(HttpStatus.NO_CONTENT)
  void setSandboxNetwork(
      HttpRequest<?> http,
      @PathVariable String id,
      @Body @Nullable @Schema(implementation = SandboxNetwork.class) String body) {
    JsonNode tree = JsonBody.tree(body);
    SandboxRequests.refuseInbound(tree);
    SandboxNetwork wanted = JsonBody.convert(tree, SandboxNetwork.class);
    NetworkRules asked =
        NetworkRules.parse(wanted.allowOut(), wanted.denyOut())
            .withProxy(SandboxRequests.proxy(wanted.egressProxy()))
            .withRequestRules(SandboxRequests.requestRules(wanted.rules()));
    NetworkRules rules = SandboxRequests.denyUnlessInternet(wanted.allow_internet_access(), asked);
    String sandbox = FieldValidation.sandboxId(id);
    work.run(
        OperationRequest.from(http, "sandbox.network", sandbox, body),
        operation -> {
          sandboxes().setNetwork(sandbox, rules);
          return sandbox;
        });
  }

  private Sandboxes sandboxes() {
    return engine.get().sandboxes();
  }
}
