// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.template;

import dev.ramet.api.template.AssignTags;
import dev.ramet.api.template.AssignedTags;
import dev.ramet.api.template.RemoveTags;
import dev.ramet.api.template.TemplateTag;
import dev.ramet.engine.templates.Template;
import dev.ramet.engine.templates.Templates;
import dev.ramet.errors.RametException;
import dev.ramet.server.access.Caller;
import dev.ramet.server.host.EngineHolder;
import dev.ramet.server.http.FieldValidation;
import dev.ramet.server.http.JsonBody;
import dev.ramet.server.operation.OperationRequest;
import dev.ramet.server.operation.OperationResult;
import dev.ramet.server.operation.OperationRunner;
import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Delete;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.PathVariable;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Status;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.List;
import java.util.Optional;

/** Routes for the tags that distinguish versions of a template: list, assign, remove. */
@Controller("/templates")
@Tag(name = "templates")
@ExecuteOn(TaskExecutors.BLOCKING)
final class TagController {
  private final EngineHolder engine;
  private final OperationRunner work;

  TagController(EngineHolder engine, OperationRunner work) {
    this.engine = engine;
    this.work = work;
  }

  /**
   * Lists the tags of all versions of a template.
   *
   * @param id id, name, or name:tag of one of them
   * @return the tags, sorted
   */
  @Get("/{id}/tags")
  List<TemplateTag> listTemplateTags(@PathVariable String id) {
    return templates().tags(FieldValidation.reference("template", id)).stream()
        .map(tag -> new TemplateTag(tag.tag(), tag.templateId(), tag.assignedAt().toString()))
        .toList();
  }

  /** Assigns tags to a version of a template and removes them from the versions that had them. */
  @Post("/tags")
  @Status(HttpStatus.CREATED)
  AssignedTags assignTags(
      HttpRequest<?> http, @Body @Nullable @Schema(implementation = AssignTags.class) String body) {
    AssignTags request = JsonBody.read(body, AssignTags.class);
    String target = FieldValidation.required("target", request.target());
    List<String> tags = requireTags(request.tags());
    String reference = FieldValidation.reference("template", target);
    return work.runOnce(
            OperationRequest.from(http, "template.tag", reference, body),
            JsonBody.reader(AssignedTags.class),
            (operation, listener) -> {
              Template tagged = templates().tag(reference, tags);
              AssignedTags answer = new AssignedTags(tagged.id(), tags);
              return new OperationResult<>(201, answer, List.of(tagged.id()));
            },
            ids -> Optional.empty())
        .body();
  }

  /** Removes tags from the versions of a template; the versions remain. */
  @Delete("/tags")
  @Status(HttpStatus.NO_CONTENT)
  void removeTags(
      HttpRequest<?> http, @Body @Nullable @Schema(implementation = RemoveTags.class) String body) {
    Caller.requireAdmin(http, "removing tags of a template");
    RemoveTags request = JsonBody.read(body, RemoveTags.class);
    String name = FieldValidation.required("name", request.name());
    List<String> tags = requireTags(request.tags());
    String reference = FieldValidation.reference("template", name);
    work.run(
        OperationRequest.from(http, "template.untag", reference, body),
        operation -> {
          templates().untag(reference, tags);
          return reference;
        });
  }

  private static List<String> requireTags(@Nullable List<String> given) {
    List<String> tags = FieldValidation.tags("tags", given);
    if (tags.isEmpty()) {
      throw RametException.invalid("tags", "is required");
    }
    return tags;
  }

  private Templates templates() {
    return engine.get().templates();
  }
}
