// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.template;

import dev.ramet.api.template.BuildEvent;
import dev.ramet.api.template.BuildTemplateRequest;
import dev.ramet.api.template.ImageTemplateRequest;
import dev.ramet.api.template.ImportTemplateRequest;
import dev.ramet.api.template.TemplateInfo;
import dev.ramet.engine.WantedShape;
import dev.ramet.engine.start.Engine;
import dev.ramet.engine.templates.BuildTemplate;
import dev.ramet.engine.templates.ImageTemplate;
import dev.ramet.engine.templates.ImportTemplate;
import dev.ramet.engine.templates.StartCommands;
import dev.ramet.engine.templates.Templates;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.server.access.Caller;
import dev.ramet.server.host.EngineHolder;
import dev.ramet.server.http.FieldValidation;
import dev.ramet.server.http.JsonBody;
import dev.ramet.server.http.NdjsonResponse;
import dev.ramet.server.operation.OperationRequest;
import dev.ramet.server.storage.ExchangeDirectories;
import dev.ramet.server.view.TemplateView;
import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Delete;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.PathVariable;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Produces;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.http.annotation.Status;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.List;
import java.util.function.Supplier;

/** Routes for templates: build, import, list, get, delete. */
@Controller("/templates")
@Tag(name = "templates")
@ExecuteOn(TaskExecutors.BLOCKING)
final class TemplateController {
  private final EngineHolder engine;
  private final TemplateMaker maker;
  private final ExchangeDirectories directories;

  TemplateController(EngineHolder engine, TemplateMaker maker, ExchangeDirectories directories) {
    this.engine = engine;
    this.maker = maker;
    this.directories = directories;
  }

  /**
   * Lists all templates by name.
   *
   * @return the templates
   */
  @Get
  List<TemplateInfo> listTemplates() {
    return templates().list().stream().map(TemplateView::of).toList();
  }

  /**
   * Lists the recipes that templates can be built from.
   *
   * @return their names
   */
  @Get("/recipes")
  List<String> listRecipes() {
    return templates().recipes();
  }

  /**
   * Returns a template.
   *
   * @param id id, name, or name:tag
   * @return the template
   */
  @Get("/{id}")
  TemplateInfo getTemplate(@PathVariable String id) {
    return TemplateView.of(templates().get(FieldValidation.reference("template", id)));
  }

  /**
   * Builds a template from a recipe. Progress is streamed line by line when the client accepts
   * {@code application/x-ndjson}.
   */
  @Post
  @Produces({MediaType.APPLICATION_JSON, NdjsonResponse.NDJSON})
  @ApiResponse(
      responseCode = "201",
      description = "the template",
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(implementation = TemplateInfo.class)))
  @ApiResponse(
      responseCode = "200",
      description = "progress, and in the last line the template or an error",
      content =
          @Content(
              mediaType = NdjsonResponse.NDJSON,
              schema = @Schema(implementation = BuildEvent.class)))
  HttpResponse<?> buildTemplate(
      HttpRequest<?> http,
      @Body @Nullable @Schema(implementation = BuildTemplateRequest.class) String body) {
    BuildTemplateRequest request = JsonBody.read(body, BuildTemplateRequest.class);
    String recipe =
        FieldValidation.name("recipe", FieldValidation.required("recipe", request.recipe()));
    String name = FieldValidation.optionalTagged("name", request.name());
    BuildTemplate wanted =
        new BuildTemplate(
            recipe,
            name == null ? recipe : name,
            FieldValidation.cpuCount(request.cpuCount()),
            FieldValidation.memoryBytes(request.memoryMB()),
            FieldValidation.diskBytes(request.diskSizeMB()));
    Templates templates = templates();
    return maker.make(
        http,
        OperationRequest.from(http, "template.build", wanted.name(), body),
        (progress, listener) -> templates.build(wanted, progress));
  }

  /**
   * Creates a template from a kernel and a disk image on the host. Progress is streamed line by
   * line when the client accepts {@code application/x-ndjson}.
   */
  @Post("/import")
  @Produces({MediaType.APPLICATION_JSON, NdjsonResponse.NDJSON})
  @ApiResponse(
      responseCode = "201",
      description = "the template",
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(implementation = TemplateInfo.class)))
  @ApiResponse(
      responseCode = "200",
      description = "progress, and in the last line the template or an error",
      content =
          @Content(
              mediaType = NdjsonResponse.NDJSON,
              schema = @Schema(implementation = BuildEvent.class)))
  HttpResponse<?> importTemplate(
      HttpRequest<?> http,
      @Body @Nullable @Schema(implementation = ImportTemplateRequest.class) String body) {
    ImportTemplateRequest request = JsonBody.read(body, ImportTemplateRequest.class);
    Integer cpuCount = FieldValidation.cpuCount(request.cpuCount());
    Long memoryBytes = FieldValidation.memoryBytes(request.memoryMB());
    ImportTemplate wanted =
        new ImportTemplate(
            FieldValidation.tagged("name", FieldValidation.required("name", request.name())),
            directories.check("kernel", request.kernel()),
            directories.check("rootfs", request.rootfs()),
            request.initrd() == null ? null : directories.check("initrd", request.initrd()),
            request.kernelArguments(),
            cpuCount == null ? 1 : cpuCount,
            memoryBytes == null ? 512L * 1024 * 1024 : memoryBytes,
            Boolean.TRUE.equals(request.cold()));
    Templates templates = templates();
    return maker.make(
        http,
        OperationRequest.from(http, "template.import", wanted.name(), body),
        (progress, listener) -> templates.importImages(wanted, progress, listener));
  }

  /**
   * Creates a template from a container image on the host. Progress is streamed line by line when
   * the client accepts {@code application/x-ndjson}.
   */
  @Post("/image")
  @Produces({MediaType.APPLICATION_JSON, NdjsonResponse.NDJSON})
  @ApiResponse(
      responseCode = "201",
      description = "the template",
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(implementation = TemplateInfo.class)))
  @ApiResponse(
      responseCode = "200",
      description = "progress, and in the last line the template or an error",
      content =
          @Content(
              mediaType = NdjsonResponse.NDJSON,
              schema = @Schema(implementation = BuildEvent.class)))
  HttpResponse<?> buildImageTemplate(
      HttpRequest<?> http,
      @Body @Nullable @Schema(implementation = ImageTemplateRequest.class) String body) {
    ImageTemplateRequest request = JsonBody.read(body, ImageTemplateRequest.class);
    ImageTemplate wanted =
        new ImageTemplate(
            FieldValidation.tagged("name", FieldValidation.required("name", request.name())),
            new ImageTemplate.Source(
                directories.check("image", request.image()), request.platform(), request.tag()),
            new StartCommands(request.start(), request.ready()),
            Boolean.TRUE.equals(request.noStart()),
            new WantedShape(
                FieldValidation.cpuCount(request.cpuCount()),
                FieldValidation.memoryBytes(request.memoryMB()),
                FieldValidation.diskBytes(request.diskSizeMB())));
    Templates templates = templates();
    return maker.make(
        http,
        OperationRequest.from(http, "template.image", wanted.name(), body),
        (progress, listener) -> templates.buildImage(wanted, progress));
  }

  /**
   * Deletes a template. Clients of the E2B protocol delete snapshots here too, which users may do.
   *
   * @param id id or name:tag for one version, or name for all versions of that name
   * @param strict true: respond 409 while sandboxes use the snapshot
   */
  @Delete("/{id}")
  @Status(HttpStatus.NO_CONTENT)
  void deleteTemplate(
      HttpRequest<?> http, @PathVariable String id, @QueryValue @Nullable String strict) {
    String reference = FieldValidation.reference("template or snapshot", id);
    boolean onlyUnused = FieldValidation.flag("strict", strict);
    Engine open = engine.get();
    // A name belongs either to templates or to snapshots, never to both.
    if (exists(() -> open.templates().tags(reference))) {
      Caller.requireAdmin(http, "deleting a template");
      open.templates().delete(reference);
      return;
    }
    try {
      open.snapshots().delete(reference, onlyUnused);
    } catch (RametException e) {
      boolean unknown = e.code() == ErrorCode.NOT_FOUND && e.remedy() == null;
      throw unknown ? RametException.notFound("template or snapshot", id) : e;
    }
  }

  private static boolean exists(Supplier<?> lookup) {
    try {
      return lookup.get() != null;
    } catch (RametException e) {
      if (e.code() == ErrorCode.NOT_FOUND) {
        return false;
      }
      throw e;
    }
  }

  private Templates templates() {
    return engine.get().templates();
  }
}
