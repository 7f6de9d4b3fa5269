// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server;

import dev.ramet.api.AssignTags;
import dev.ramet.api.AssignedTags;
import dev.ramet.api.RemoveTags;
import dev.ramet.api.TemplateTag;
import dev.ramet.engine.Template;
import dev.ramet.engine.Templates;
import dev.ramet.errors.RametException;
import dev.ramet.server.access.Caller;
import dev.ramet.server.work.Asked;
import dev.ramet.server.work.Outcome;
import dev.ramet.server.work.Work;
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

/** The tags that tell versions of a template apart: list, assign, remove. */
@Controller("/templates")
@Tag(name = "templates")
@ExecuteOn(TaskExecutors.BLOCKING)
final class TagController {
  private final EngineHolder engine;
  private final Work work;

  TagController(EngineHolder engine, Work work) {
    this.engine = engine;
    this.work = work;
  }

  /**
   * Lists the tags of all versions of a template.
   *
   * @param id id, name, or name:tag of one of them
   * @return the tags, in order
   */
  @Get("/{id}/tags")
  List<TemplateTag> templateTags(@PathVariable String id) {
    return templates().tags(Checks.reference("template", id)).stream()
        .map(tag -> new TemplateTag(tag.tag(), tag.templateId(), tag.assignedAt().toString()))
        .toList();
  }

  /** Gives a version of a template tags, and takes them from the versions that have them. */
  @Post("/tags")
  @Status(HttpStatus.CREATED)
  AssignedTags assignTags(
      HttpRequest<?> http, @Body @Nullable @Schema(implementation = AssignTags.class) String body) {
    AssignTags request = Json.read(body, AssignTags.class);
    String target = Checks.required("target", request.target());
    List<String> tags = someTags(request.tags());
    String reference = Checks.reference("template", target);
    return work.once(
            Asked.of(http, "template.tag", reference, body),
            Json.reader(AssignedTags.class),
            operation -> {
              Template tagged = templates().tag(reference, tags);
              AssignedTags answer = new AssignedTags(tagged.id(), tags);
              return new Outcome<>(201, answer, List.of(tagged.id()));
            },
            ids -> Optional.empty())
        .body();
  }

  /** Takes tags from the versions of a template, which stay. */
  @Delete("/tags")
  @Status(HttpStatus.NO_CONTENT)
  void removeTags(
      HttpRequest<?> http, @Body @Nullable @Schema(implementation = RemoveTags.class) String body) {
    Caller.requireAdmin(http, "removing tags of a template");
    RemoveTags request = Json.read(body, RemoveTags.class);
    String name = Checks.required("name", request.name());
    List<String> tags = someTags(request.tags());
    String reference = Checks.reference("template", name);
    work.run(
        Asked.of(http, "template.untag", reference, body),
        operation -> {
          templates().untag(reference, tags);
          return reference;
        });
  }

  private static List<String> someTags(@Nullable List<String> given) {
    List<String> tags = Checks.tags("tags", given);
    if (tags.isEmpty()) {
      throw RametException.invalid("tags", "is required");
    }
    return tags;
  }

  private Templates templates() {
    return engine.get().templates();
  }
}
