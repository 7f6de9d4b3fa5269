// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.sandbox;

import dev.ramet.api.sandbox.SandboxInfo;
import dev.ramet.api.sandbox.SandboxLabels;
import dev.ramet.api.sandbox.SandboxName;
import dev.ramet.engine.sandboxes.Sandboxes;
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
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.PathVariable;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Put;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Routes that change what people know a sandbox by, and the route that restarts one. */
@Controller
@Tag(name = "sandboxes")
@ExecuteOn(TaskExecutors.BLOCKING)
final class LabelController {
  private final EngineHolder engine;
  private final SandboxView views;
  private final OperationRunner work;

  LabelController(EngineHolder engine, SandboxView views, OperationRunner work) {
    this.engine = engine;
    this.views = views;
    this.work = work;
  }

  /**
   * Boots a sandbox again from its own disk, under the same id. Its memory and its running programs
   * are lost. If the restart fails, the sandbox is unchanged.
   *
   * @param id the sandbox
   * @return the sandbox, running
   */
  @Post(uris = {"/sandboxes/{id}/restart", "/v2/sandboxes/{id}/restart"})
  SandboxInfo restartSandbox(HttpRequest<?> http, @PathVariable String id) {
    String sandbox = FieldValidation.sandboxId(id);
    return work.runOnce(
            OperationRequest.from(http, "sandbox.restart", sandbox, null),
            JsonBody.reader(SandboxInfo.class),
            (operation, listener) -> {
              operation.step("booting it from its disk");
              return new OperationResult<>(
                  200, views.of(engine.get().sandboxes().restart(sandbox)), List.of());
            },
            ids -> Optional.empty())
        .body();
  }

  /**
   * Gives a sandbox a name that no other sandbox of the host has, or takes its name away. A name is
   * accepted wherever an id is.
   *
   * @param id the sandbox
   * @return the sandbox
   */
  @Put(uris = {"/sandboxes/{id}/name", "/v2/sandboxes/{id}/name"})
  SandboxInfo renameSandbox(
      HttpRequest<?> http,
      @PathVariable String id,
      @Body @Nullable @Schema(implementation = SandboxName.class) String body) {
    String name = JsonBody.read(body, SandboxName.class).name();
    if (name == null) {
      throw RametException.invalid("name", "is required; an empty one takes the name away");
    }
    return change(
        http, "sandbox.rename", id, body, new Sandboxes.LabelChange(name, Map.of(), Set.of()));
  }

  /**
   * Sets and removes labels of a sandbox. Other labels stay.
   *
   * @param id the sandbox
   * @return the sandbox
   */
  @Post(uris = {"/sandboxes/{id}/metadata", "/v2/sandboxes/{id}/metadata"})
  SandboxInfo labelSandbox(
      HttpRequest<?> http,
      @PathVariable String id,
      @Body @Nullable @Schema(implementation = SandboxLabels.class) String body) {
    SandboxLabels wanted = JsonBody.read(body, SandboxLabels.class);
    Map<String, String> set = FieldValidation.strings("metadata", wanted.metadata());
    Set<String> removed = new HashSet<>();
    if (wanted.remove() != null) {
      for (String key : wanted.remove()) {
        removed.add(FieldValidation.required("remove", key));
      }
    }
    if (set.isEmpty() && removed.isEmpty()) {
      throw RametException.invalid("metadata", "is required unless remove has keys");
    }
    return change(http, "sandbox.label", id, body, new Sandboxes.LabelChange(null, set, removed));
  }

  private SandboxInfo change(
      HttpRequest<?> http,
      String kind,
      String id,
      @Nullable String body,
      Sandboxes.LabelChange change) {
    String sandbox = FieldValidation.sandboxId(id);
    return work.runOnce(
            OperationRequest.from(http, kind, sandbox, body),
            JsonBody.reader(SandboxInfo.class),
            (operation, listener) ->
                new OperationResult<>(
                    200, views.of(engine.get().sandboxes().setLabel(sandbox, change)), List.of()),
            ids -> Optional.empty())
        .body();
  }
}
