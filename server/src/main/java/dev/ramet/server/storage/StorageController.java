// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.storage;

import dev.ramet.api.storage.StorageCheck;
import dev.ramet.api.storage.StorageUsage;
import dev.ramet.engine.Storage;
import dev.ramet.server.host.EngineHolder;
import dev.ramet.server.http.JsonBody;
import dev.ramet.server.http.NdjsonResponse;
import dev.ramet.spi.storage.StorageFinding;
import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Produces;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.ArrayList;
import java.util.List;

/** Routes for the storage of a running host: check, garbage collection, usage. */
@Controller("/storage")
@Tag(name = "storage")
@ExecuteOn(TaskExecutors.BLOCKING)
final class StorageController {
  private final EngineHolder engine;
  private final NdjsonResponse lines;

  StorageController(EngineHolder engine, NdjsonResponse lines) {
    this.engine = engine;
    this.lines = lines;
  }

  /**
   * Checks the data roots, and with {@code repair} repairs what it can.
   *
   * @return the findings
   */
  @Post("/check")
  StorageCheck checkStorage(
      @Body @Nullable @Schema(implementation = StorageCheck.Request.class) String body) {
    StorageCheck.Request request = JsonBody.read(body, StorageCheck.Request.class);
    Storage.Report report = storage().check(Boolean.TRUE.equals(request.repair()));
    return StorageViews.of(report);
  }

  /**
   * Removes objects that nothing needs, or with {@code dryRun} only lists them.
   *
   * @return the findings
   */
  @Post("/gc")
  StorageCheck collectGarbage(
      @Body @Nullable @Schema(implementation = StorageCheck.Collect.class) String body) {
    StorageCheck.Collect request = JsonBody.read(body, StorageCheck.Collect.class);
    List<StorageFinding> found = storage().collect(Boolean.TRUE.equals(request.dryRun()));
    return StorageViews.of(found);
  }

  /**
   * Returns the usage of each disk and memory image. It is streamed line by line when the client
   * accepts {@code application/x-ndjson}.
   */
  @Get("/usage")
  @Produces({MediaType.APPLICATION_JSON, NdjsonResponse.NDJSON})
  @ApiResponse(
      responseCode = "200",
      description = "the usage of each image and each root",
      content = {
        @Content(
            mediaType = MediaType.APPLICATION_JSON,
            schema = @Schema(implementation = Usage.class)),
        @Content(
            mediaType = NdjsonResponse.NDJSON,
            schema = @Schema(implementation = StorageUsage.class))
      })
  HttpResponse<?> getStorageUsage(HttpRequest<?> request) {
    Storage storage = storage();
    if (NdjsonResponse.isAccepted(request)) {
      return lines.stream(
          request,
          line ->
              storage
                  .usage(node -> line.accept(new StorageUsage(StorageViews.of(node), null, null)))
                  .forEach(
                      root -> line.accept(new StorageUsage(null, StorageViews.of(root), null))),
          error -> new StorageUsage(null, null, error));
    }
    List<StorageUsage.Node> nodes = new ArrayList<>();
    List<StorageUsage.Root> roots =
        storage.usage(node -> nodes.add(StorageViews.of(node))).stream()
            .map(StorageViews::of)
            .toList();
    return HttpResponse.ok(new Usage(nodes, roots));
  }

  /**
   * The usage of storage.
   *
   * @param nodes every disk and memory image
   * @param roots the sums, one for each data root
   */
  private record Usage(List<StorageUsage.Node> nodes, List<StorageUsage.Root> roots) {}

  private Storage storage() {
    return engine.get().storage();
  }
}
