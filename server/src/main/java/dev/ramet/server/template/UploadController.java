// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.template;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.server.host.EngineHolder;
import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Consumes;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.PathVariable;
import io.micronaut.http.annotation.Put;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.http.annotation.Status;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.parameters.RequestBody;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.io.IOException;
import java.io.InputStream;

/** Route for uploading the files that template builds copy. Bodies are streamed to disk. */
@Controller("/uploads")
@Tag(name = "template builds")
@ExecuteOn(TaskExecutors.BLOCKING)
final class UploadController {
  private final EngineHolder engine;
  private final UploadStore uploads;
  private final UploadTickets grants;

  UploadController(EngineHolder engine, UploadStore uploads, UploadTickets grants) {
    this.engine = engine;
    this.uploads = uploads;
    this.grants = grants;
  }

  /**
   * Stores an archive. Needs no API key, only the address returned by {@code
   * /templates/{id}/files/{hash}}.
   *
   * @param hash the client's hash of the archive
   * @param token proves that it may be uploaded
   */
  @Put("/{hash}")
  @Consumes(MediaType.ALL)
  @Status(HttpStatus.OK)
  @RequestBody(
      content =
          @Content(
              mediaType = MediaType.APPLICATION_OCTET_STREAM,
              schema = @Schema(type = "string", format = "binary")))
  void uploadArchive(
      @PathVariable String hash,
      @QueryValue @Nullable String token,
      @Body @Nullable InputStream body) {
    UploadStore.hash("hash", hash);
    UploadTickets.Grant grant = grants.check(token == null ? "" : token, hash);
    if (body == null) {
      throw RametException.invalid("the request body", "is required");
    }
    engine.get(); // ensures that this process has the data root to itself
    try (body) {
      uploads.receive(grant.caller(), hash, body);
    } catch (IOException e) {
      throw new RametException(ErrorCode.INVALID_ARGUMENT, "the upload was interrupted: " + e, e);
    }
  }
}
