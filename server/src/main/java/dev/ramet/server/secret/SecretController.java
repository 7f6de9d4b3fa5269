// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.secret;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.api.secret.NewSecret;
import dev.ramet.api.secret.SecretInfo;
import dev.ramet.api.secret.SecretUpdate;
import dev.ramet.egress.rule.Secret;
import dev.ramet.egress.rule.Secrets;
import dev.ramet.server.host.EngineHolder;
import dev.ramet.server.host.EngineLookup;
import dev.ramet.server.http.FieldValidation;
import dev.ramet.server.http.JsonBody;
import dev.ramet.server.http.Paging;
import dev.ramet.server.operation.OperationRequest;
import dev.ramet.server.operation.OperationResult;
import dev.ramet.server.operation.OperationRunner;
import dev.ramet.server.view.SecretView;
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
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.List;
import java.util.Map;

/**
 * Routes for secrets, which the host inserts into guests' requests: create, update, list, delete.
 */
@Controller("/secrets")
@Tag(name = "secrets")
@ExecuteOn(TaskExecutors.BLOCKING)
final class SecretController {
  private static final Paging<Secret> PAGING = new Paging<>(Secret::createdAt, Secret::id);

  private final EngineHolder engine;
  private final OperationRunner work;

  SecretController(EngineHolder engine, OperationRunner work) {
    this.engine = engine;
    this.work = work;
  }

  /**
   * Creates a secret. Its value is never returned.
   *
   * @return the secret without its value
   */
  @Post
  @Status(HttpStatus.CREATED)
  SecretInfo createSecret(
      HttpRequest<?> http, @Body @Nullable @Schema(implementation = NewSecret.class) String body) {
    NewSecret request = JsonBody.convert(JsonBody.tree(body), NewSecret.class);
    String name = FieldValidation.required("name", request.name());
    String value = FieldValidation.required("value", request.value());
    Map<String, String> metadata = FieldValidation.strings("metadata", request.metadata());
    return work.runOnce(
            OperationRequest.from(http, "secret.create", name, body),
            JsonBody.reader(SecretInfo.class),
            (operation, listener) -> {
              Secret made =
                  secrets().create(name, value, metadata, id -> listener.assigning(List.of(id)));
              return OperationResult.created(SecretView.of(made), made.id());
            },
            ids ->
                EngineLookup.secret(engine, ids)
                    .map(made -> OperationResult.created(SecretView.of(made), made.id())))
        .body();
  }

  /**
   * Lists secrets page by page, oldest first; the header {@code x-next-token} has the token for the
   * next page.
   *
   * @param limit entries per page, 1 to 100
   * @param nextToken token of the previous page
   * @return one page, without values
   */
  @Get
  HttpResponse<List<SecretInfo>> listSecrets(
      @QueryValue @Nullable Integer limit, @QueryValue @Nullable String nextToken) {
    return PAGING.page(secrets().list(), true, limit, nextToken, SecretView::of);
  }

  /**
   * Returns a secret.
   *
   * @param id its id or name
   * @return the secret without its value
   */
  @Get("/{id}")
  SecretInfo getSecret(@PathVariable String id) {
    return SecretView.of(secrets().get(id));
  }

  /**
   * Sets a new value, which is used in requests from then on.
   *
   * @param id its id or name
   * @return the secret without its value
   */
  @Post("/{id}")
  SecretInfo updateSecret(
      HttpRequest<?> http,
      @PathVariable String id,
      @Body @Nullable @Schema(implementation = SecretUpdate.class) String body) {
    JsonNode tree = JsonBody.tree(body);
    SecretUpdate request = JsonBody.convert(tree, SecretUpdate.class);
    String value = FieldValidation.required("value", request.value());
    Map<String, String> metadata =
        request.metadata() == null ? null : FieldValidation.strings("metadata", request.metadata());
    return work.run(
        OperationRequest.from(http, "secret.update", id, body),
        operation -> SecretView.of(secrets().update(id, value, metadata)));
  }

  /**
   * Deletes a secret. From then on, requests that need it get 502.
   *
   * @param id its id or name
   */
  @Delete("/{id}")
  @Status(HttpStatus.NO_CONTENT)
  void deleteSecret(HttpRequest<?> http, @PathVariable String id) {
    work.run(
        OperationRequest.from(http, "secret.delete", id, null),
        operation -> {
          secrets().delete(id);
          return id;
        });
  }

  private Secrets secrets() {
    return engine.get().secrets();
  }
}
