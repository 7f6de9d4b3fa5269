// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.volume;

import dev.ramet.api.volume.VolumeEntryInfo;
import dev.ramet.engine.volumes.Volume;
import dev.ramet.engine.volumes.VolumeContent;
import dev.ramet.engine.volumes.VolumeEntry;
import dev.ramet.engine.volumes.Volumes;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.server.host.EngineHolder;
import dev.ramet.server.http.FieldValidation;
import dev.ramet.server.http.JsonBody;
import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Consumes;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Delete;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Patch;
import io.micronaut.http.annotation.PathVariable;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Put;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.http.annotation.Status;
import io.micronaut.http.server.types.files.StreamedFile;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.parameters.RequestBody;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import java.util.Locale;

/**
 * Routes for the files of volumes, for clients with the volume's token. Bodies are streamed to and
 * from the disk.
 */
@Controller("/volumecontent/{id}")
@Tag(name = "volume content")
@ExecuteOn(TaskExecutors.BLOCKING)
final class VolumeContentController {
  private static final String BEARER = "Bearer ";
  private static final int MAX_DEPTH = 1000;

  private final EngineHolder engine;

  VolumeContentController(EngineHolder engine) {
    this.engine = engine;
  }

  /**
   * The attributes to set on a file or directory.
   *
   * @param uid owner, or null to leave it
   * @param gid group, or null to leave it
   * @param mode permission bits, or null to leave them
   */
  private record VolumeMetadata(
      @Nullable Integer uid, @Nullable Integer gid, @Nullable Integer mode) {}

  /**
   * Lists a directory.
   *
   * @param id the volume
   * @param path absolute path in the volume
   * @param depth how many levels, 1 if absent
   * @return its entries, each directory before its own entries
   */
  @Get("/dir")
  List<VolumeEntryInfo> listVolumeDirectory(
      HttpRequest<?> http,
      @PathVariable String id,
      @QueryValue @Nullable String path,
      @QueryValue @Nullable Integer depth) {
    VolumeContent content = content(http, id);
    if (depth != null && (depth < 1 || depth > MAX_DEPTH)) {
      throw RametException.invalid("depth", "must be 1 to " + MAX_DEPTH);
    }
    return content.list(requirePath(path), depth == null ? 1 : depth).stream()
        .map(VolumeContentController::info)
        .toList();
  }

  /**
   * Creates a directory.
   *
   * @param id the volume
   * @param path absolute path in the volume
   * @param uid owner, root if absent
   * @param gid group, root if absent
   * @param mode permission bits, {@code 0755} if absent; decimal
   * @param force {@code true} to create missing parents too, and to accept an existing directory
   * @return the directory
   */
  @Post("/dir")
  @Consumes(MediaType.ALL)
  @Status(HttpStatus.CREATED)
  VolumeEntryInfo makeVolumeDirectory(
      HttpRequest<?> http,
      @PathVariable String id,
      @QueryValue @Nullable String path,
      @QueryValue @Nullable Integer uid,
      @QueryValue @Nullable Integer gid,
      @QueryValue @Nullable Integer mode,
      @QueryValue @Nullable String force) {
    VolumeContent content = content(http, id);
    boolean forced = FieldValidation.flag("force", force, false);
    return info(
        content.makeDirectory(
            requirePath(path), new VolumeContent.Attributes(uid, gid, mode), forced));
  }

  /**
   * Returns the attributes of a file or directory.
   *
   * @param id the volume
   * @param path absolute path in the volume
   * @return its attributes
   */
  @Get("/path")
  VolumeEntryInfo getVolumePath(
      HttpRequest<?> http, @PathVariable String id, @QueryValue @Nullable String path) {
    return info(content(http, id).stat(requirePath(path)));
  }

  /**
   * Sets owner, group and permissions of a file or directory.
   *
   * @param id the volume
   * @param path absolute path in the volume
   * @return its new attributes
   */
  @Patch("/path")
  VolumeEntryInfo setVolumePath(
      HttpRequest<?> http,
      @PathVariable String id,
      @QueryValue @Nullable String path,
      @Body @Nullable @Schema(implementation = VolumeMetadata.class) String body) {
    VolumeContent content = content(http, id);
    VolumeMetadata wanted = JsonBody.read(body, VolumeMetadata.class);
    return info(
        content.update(
            requirePath(path),
            new VolumeContent.Attributes(wanted.uid(), wanted.gid(), wanted.mode())));
  }

  /**
   * Deletes a file, or a directory with its contents.
   *
   * @param id the volume
   * @param path absolute path in the volume
   */
  @Delete("/path")
  @Status(HttpStatus.NO_CONTENT)
  void deleteVolumePath(
      HttpRequest<?> http, @PathVariable String id, @QueryValue @Nullable String path) {
    content(http, id).remove(requirePath(path));
  }

  /**
   * Reads a file.
   *
   * @param id the volume
   * @param path absolute path in the volume
   * @return its content
   */
  @Get("/file")
  @ApiResponse(
      responseCode = "200",
      description = "its content",
      content =
          @Content(
              mediaType = MediaType.APPLICATION_OCTET_STREAM,
              schema = @Schema(type = "string", format = "binary")))
  HttpResponse<StreamedFile> readVolumeFile(
      HttpRequest<?> http, @PathVariable String id, @QueryValue @Nullable String path) {
    VolumeContent.Opened opened = content(http, id).read(requirePath(path));
    VolumeEntry entry = opened.entry();
    return HttpResponse.ok(
        new StreamedFile(
            opened.content(),
            MediaType.APPLICATION_OCTET_STREAM_TYPE,
            entry.modifiedAt().toEpochMilli(),
            entry.sizeBytes()));
  }

  /**
   * Writes a file. Clients that are reading it still get the old content.
   *
   * @param id the volume
   * @param path absolute path in the volume
   * @param uid owner; if absent, the owner of the replaced file, or root
   * @param gid group; if absent, the group of the replaced file, or root
   * @param mode permission bits; if absent, those of the replaced file, or {@code 0644}; decimal
   * @param force {@code true} to create missing parents too; {@code false} to fail if the file
   *     exists already
   * @return the file
   */
  @Put("/file")
  @Consumes(MediaType.ALL)
  @Status(HttpStatus.CREATED)
  @RequestBody(
      content =
          @Content(
              mediaType = MediaType.APPLICATION_OCTET_STREAM,
              schema = @Schema(type = "string", format = "binary")))
  VolumeEntryInfo writeVolumeFile(
      HttpRequest<?> http,
      @PathVariable String id,
      @QueryValue @Nullable String path,
      @QueryValue @Nullable Integer uid,
      @QueryValue @Nullable Integer gid,
      @QueryValue @Nullable Integer mode,
      @QueryValue @Nullable String force,
      @Body @Nullable InputStream body) {
    VolumeContent content = content(http, id);
    VolumeContent.Attributes attributes = new VolumeContent.Attributes(uid, gid, mode);
    boolean overwrite = FieldValidation.flag("force", force, true);
    boolean parents = FieldValidation.flag("force", force, false);
    try (InputStream received = body == null ? InputStream.nullInputStream() : body) {
      return info(content.write(requirePath(path), received, attributes, overwrite, parents));
    } catch (InterruptedIOException e) {
      Thread.currentThread().interrupt();
      throw new RametException(ErrorCode.CANCELLED, "interrupted", e);
    } catch (IOException e) {
      throw new RametException(ErrorCode.INVALID_ARGUMENT, "the upload was interrupted: " + e, e);
    }
  }

  private static String requirePath(@Nullable String path) {
    return FieldValidation.required("path", path);
  }

  private static VolumeEntryInfo info(VolumeEntry e) {
    return VolumeEntryInfo.builder()
        .name(e.path().substring(e.path().lastIndexOf('/') + 1))
        .path(e.path())
        .type(e.type().name().toLowerCase(Locale.ROOT))
        .size(e.sizeBytes())
        .mode(e.mode())
        .uid(e.uid())
        .gid(e.gid())
        .atime(e.accessedAt().toString())
        .mtime(e.modifiedAt().toString())
        .ctime(e.changedAt().toString())
        .target(e.target())
        .build();
  }

  /**
   * Returns the content of a volume if the request has its token. Otherwise the error does not
   * reveal whether the volume exists.
   */
  private VolumeContent content(HttpRequest<?> http, String id) {
    String header = http.getHeaders().get(HttpHeaders.AUTHORIZATION);
    Volumes volumes = engine.get().volumes();
    if (header == null || !header.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
      throw unauthenticated();
    }
    byte[] token = header.substring(BEARER.length()).trim().getBytes(StandardCharsets.UTF_8);
    for (Volume volume : volumes.list()) {
      boolean same = MessageDigest.isEqual(volume.token().getBytes(StandardCharsets.UTF_8), token);
      if (same && volume.id().equals(id)) {
        return volumes.content(id);
      }
    }
    throw unauthenticated();
  }

  private static RametException unauthenticated() {
    return new RametException(
        ErrorCode.UNAUTHENTICATED,
        "there is no volume with that id and token",
        "send the volume's token as Authorization: Bearer; GET /volumes/{id} returns it",
        null);
  }
}
