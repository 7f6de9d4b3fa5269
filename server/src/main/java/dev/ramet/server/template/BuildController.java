// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.template;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.ramet.engine.templates.DerivedTemplate;
import dev.ramet.engine.templates.StartCommands;
import dev.ramet.engine.templates.Templates;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.server.access.Caller;
import dev.ramet.server.host.EngineHolder;
import dev.ramet.server.http.FieldValidation;
import dev.ramet.server.http.JsonBody;
import dev.ramet.server.http.RequestBaseUrl;
import dev.ramet.server.operation.OperationRequest;
import dev.ramet.server.operation.OperationResult;
import dev.ramet.server.operation.OperationRunner;
import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
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
import java.util.ArrayList;
import java.util.List;

/** Routes for template builds in the E2B protocol, which apply steps to another template. */
@Controller
@Tag(name = "template builds")
@ExecuteOn(TaskExecutors.BLOCKING)
final class BuildController {
  private final EngineHolder engine;
  private final OperationRunner work;
  private final BuildRegistry builds;
  private final UploadStore uploads;
  private final UploadTickets grants;
  private final BuildRunner runner;
  private final RequestBaseUrl address;

  BuildController(
      EngineHolder engine,
      OperationRunner work,
      BuildRegistry builds,
      UploadStore uploads,
      UploadTickets grants,
      BuildRunner runner,
      RequestBaseUrl address) {
    this.engine = engine;
    this.work = work;
    this.builds = builds;
    this.uploads = uploads;
    this.grants = grants;
    this.runner = runner;
    this.address = address;
  }

  /**
   * A build that waits for its steps.
   *
   * @param templateID id of the template it creates
   * @param buildID its id
   * @param open always true: all callers can use all templates
   * @param names names of the template
   * @param aliases the same names
   * @param tags tags of this version, assigned when it is ready
   */
  record Announcement(
      String templateID,
      String buildID,
      @JsonProperty("public") boolean open,
      List<String> names,
      List<String> aliases,
      List<String> tags) {}

  /**
   * The address for uploading files that a step copies.
   *
   * @param present whether they were uploaded already
   * @param url where to {@code PUT} them, as a tar archive, compressed by gzip or not; valid for an
   *     hour
   */
  record UploadLink(boolean present, String url) {}

  /**
   * The template that a name refers to.
   *
   * @param templateID the template's id
   * @param open always true: all callers can use all templates
   */
  record Alias(String templateID, @JsonProperty("public") boolean open) {}

  /** Announces a build. The template exists once the steps are given and completed. */
  @Post("/v3/templates")
  @ApiResponse(
      responseCode = "202",
      description = "the build",
      content = @Content(schema = @Schema(implementation = Announcement.class)))
  HttpResponse<Announcement> announceBuild(
      HttpRequest<?> http,
      @Body @Nullable @Schema(implementation = BuildRequests.Announced.class) String body) {
    BuildRequests.Announced request = JsonBody.read(body, BuildRequests.Announced.class);
    String name = FieldValidation.tagged("name", FieldValidation.required("name", request.name()));
    List<String> tags = FieldValidation.tags("tags", request.tags());
    if (request.minFreeDiskMb() != null) {
      throw RametException.invalid(
          "minFreeDiskMb", "leave this out: a template has the same disk size as its base");
    }
    Integer cpuCount = FieldValidation.cpuCount(request.cpuCount());
    Long memoryBytes = FieldValidation.memoryBytes(request.memoryMB());
    Templates templates = templates();
    OperationResult<Announcement> outcome =
        work.runOnce(
            OperationRequest.from(http, "template.announce", name, body),
            JsonBody.reader(Announcement.class),
            (operation, listener) -> {
              TemplateBuild build =
                  new TemplateBuild(templates.newId(), name, tags, cpuCount, memoryBytes);
              builds.add(build);
              return new OperationResult<>(202, announcement(build), List.of());
            },
            ids -> java.util.Optional.empty());
    return HttpResponse.<Announcement>status(outcome.status(), null).body(outcome.body());
  }

  private static Announcement announcement(TemplateBuild build) {
    List<String> names = List.of(build.name());
    return new Announcement(build.templateId(), build.id(), true, names, names, build.tags());
  }

  /**
   * Returns the address for uploading the files of a step.
   *
   * @param id id of the template that is being built
   * @param hash the client's hash of the files: 64 hexadecimal digits
   * @return the address
   */
  @Get("/templates/{id}/files/{hash}")
  @Status(HttpStatus.CREATED)
  UploadLink createUploadLink(
      HttpRequest<?> http, @PathVariable String id, @PathVariable String hash) {
    Caller.requireAdmin(http, "building a template");
    builds.check(FieldValidation.reference("template being built", id));
    String caller = Caller.id(http);
    UploadStore.hash("hash", hash);
    return new UploadLink(
        uploads.touchIfPresent(caller, hash),
        address.baseUrl(http) + "/uploads/" + hash + "?token=" + grants.issue(caller, hash));
  }

  /**
   * Starts a build with its steps.
   *
   * @param id id of the template
   * @param build id of the build
   */
  @Post("/v2/templates/{id}/builds/{build}")
  @Status(HttpStatus.ACCEPTED)
  @ApiResponse(responseCode = "202", description = "the build has started")
  HttpResponse<?> startBuild(
      HttpRequest<?> http,
      @PathVariable String id,
      @PathVariable String build,
      @Body @Nullable @Schema(implementation = BuildRequests.Content.class) String body) {
    TemplateBuild found = find(id, build);
    BuildRequests.Content content = JsonBody.read(body, BuildRequests.Content.class);
    Templates templates = templates();
    BuildRequests requests = new BuildRequests(templates, uploads, Caller.id(http));
    String source = requests.source(content);
    String start = command("startCmd", content.startCmd());
    String ready = command("readyCmd", content.readyCmd());
    OperationRequest asked = OperationRequest.from(http, "template.derive", found.name(), body);
    List<UploadStore.Pin> pins = new ArrayList<>();
    boolean begun = false;
    try {
      runner.start(
          asked,
          found,
          new DerivedTemplate(
              found.templateId(),
              found.name(),
              found.tags(),
              source,
              found.cpuCount(),
              found.memoryBytes(),
              requests.steps(content.steps(), pins),
              new StartCommands(start, ready)),
          pins);
      begun = true;
    } finally {
      if (!begun) {
        pins.forEach(UploadStore.Pin::close);
      }
    }
    return HttpResponse.accepted().contentLength(0);
  }

  private static @Nullable String command(String field, @Nullable String command) {
    String given = BuildRequests.requireNonZero(field, command);
    return given == null || given.isBlank() ? null : given;
  }

  /**
   * Returns state and log of a build.
   *
   * @param id id of the template
   * @param build id of the build
   * @param logsOffset index of the first log entry to return, from 0; at most a thousand are
   *     returned
   * @return state and log
   */
  @Get("/templates/{id}/builds/{build}/status")
  BuildStatus getBuildStatus(
      HttpRequest<?> http,
      @PathVariable String id,
      @PathVariable String build,
      @QueryValue @Nullable Integer logsOffset) {
    Caller.requireAdmin(http, "reading the log of a template build");
    Integer offset = FieldValidation.range("logsOffset", logsOffset, 0, Integer.MAX_VALUE);
    return find(id, build).status(offset == null ? 0 : offset);
  }

  private TemplateBuild find(String id, String build) {
    Templates templates = templates();
    TemplateBuild found = builds.get(FieldValidation.reference("template being built", id), build);
    if (found.interrupted()) {
      found.determineOutcome(templates.list().stream().anyMatch(made -> made.id().equals(id)));
      builds.changed();
    }
    return found;
  }

  /**
   * Returns the template that a name refers to: for a name alone, the version tagged {@code
   * default}, or else the newest.
   *
   * @param alias name, or name:tag
   * @return the template
   */
  @Get("/templates/aliases/{alias}")
  Alias getTemplateByAlias(@PathVariable String alias) {
    String reference = FieldValidation.reference("template", alias);
    try {
      return new Alias(templates().get(reference).id(), true);
    } catch (RametException e) {
      if (e.code() != ErrorCode.NOT_FOUND || reference.indexOf(':') >= 0) {
        throw e;
      }
      return new Alias(templates().versions(reference).get(0).id(), true);
    }
  }

  private Templates templates() {
    return engine.get().templates();
  }
}
