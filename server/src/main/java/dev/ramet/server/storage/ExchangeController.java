// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.storage;

import dev.ramet.api.storage.StorageExchange;
import dev.ramet.engine.IdListener;
import dev.ramet.engine.Storage;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.server.host.EngineHolder;
import dev.ramet.server.host.EngineLookup;
import dev.ramet.server.host.SnapshotWait;
import dev.ramet.server.http.FieldValidation;
import dev.ramet.server.http.JsonBody;
import dev.ramet.server.http.NdjsonResponse;
import dev.ramet.server.operation.LongOperationResponder;
import dev.ramet.server.operation.Operation;
import dev.ramet.server.operation.OperationRequest;
import dev.ramet.server.operation.OperationResult;
import dev.ramet.spi.storage.image.CopyProgress;
import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Produces;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Routes to export and import snapshots and templates. Progress is streamed line by line when the
 * client accepts {@code application/x-ndjson}; if such a client disconnects, the operation stops.
 */
@Controller("/storage")
@Tag(name = "storage")
@ExecuteOn(TaskExecutors.BLOCKING)
final class ExchangeController {
  private static final long TELL_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private final EngineHolder engine;
  private final ExchangeDirectories directories;
  private final LongOperationResponder work;

  ExchangeController(
      EngineHolder engine, ExchangeDirectories directories, LongOperationResponder work) {
    this.engine = engine;
    this.directories = directories;
    this.work = work;
  }

  /**
   * Exports a snapshot or template to a new directory on the host, completely or as an increment on
   * another one. Progress is streamed line by line when the client accepts {@code
   * application/x-ndjson}.
   *
   * @param wait false: respond 409 instead of waiting for a snapshot that is still being written
   */
  @Post("/export")
  @Produces({MediaType.APPLICATION_JSON, NdjsonResponse.NDJSON})
  @ApiResponse(
      responseCode = "200",
      description = "the files of the export",
      content = {
        @Content(
            mediaType = MediaType.APPLICATION_JSON,
            schema = @Schema(implementation = StorageExchange.Result.class)),
        @Content(
            mediaType = NdjsonResponse.NDJSON,
            schema = @Schema(implementation = StorageExchange.class))
      })
  HttpResponse<?> exportSnapshot(
      HttpRequest<?> http,
      @QueryValue @Nullable String wait,
      @Body @Nullable @Schema(implementation = StorageExchange.Export.class) String body) {
    StorageExchange.Export request = JsonBody.read(body, StorageExchange.Export.class);
    String snapshot =
        FieldValidation.reference(
            "snapshot or template", FieldValidation.required("snapshot", request.snapshot()));
    String since =
        request.since() == null
            ? null
            : FieldValidation.reference("snapshot or template", request.since());
    Path directory = directories.check("directory", request.directory());
    Storage storage = engine.get().storage();
    boolean waits = FieldValidation.flag("wait", wait, true);
    return respond(
        http,
        OperationRequest.from(http, "storage.export", snapshot, body),
        ids -> Optional.empty(),
        (progress, listener) -> {
          SnapshotWait.await(engine, snapshot, waits);
          if (since != null) {
            SnapshotWait.await(engine, since, waits);
          }
          return storage.exportTo(snapshot, since, directory, progress);
        });
  }

  /**
   * Creates a snapshot or template from an exported directory on the host. Progress is streamed
   * line by line when the client accepts {@code application/x-ndjson}.
   */
  @Post("/import")
  @Produces({MediaType.APPLICATION_JSON, NdjsonResponse.NDJSON})
  @ApiResponse(
      responseCode = "200",
      description = "the new snapshot or template",
      content = {
        @Content(
            mediaType = MediaType.APPLICATION_JSON,
            schema = @Schema(implementation = StorageExchange.Result.class)),
        @Content(
            mediaType = NdjsonResponse.NDJSON,
            schema = @Schema(implementation = StorageExchange.class))
      })
  HttpResponse<?> importSnapshot(
      HttpRequest<?> http,
      @Body @Nullable @Schema(implementation = StorageExchange.Import.class) String body) {
    StorageExchange.Import request = JsonBody.read(body, StorageExchange.Import.class);
    String name = FieldValidation.optionalTagged("name", request.name());
    Path directory = directories.check("directory", request.directory());
    Storage storage = engine.get().storage();
    return respond(
        http,
        OperationRequest.from(http, "storage.import", directory.toString(), body),
        ids -> {
          EngineLookup.deleteAll(engine, ids); // its result is lost: do it again
          return Optional.empty();
        },
        (progress, listener) -> storage.importFrom(directory, name, progress, listener));
  }

  private HttpResponse<?> respond(
      HttpRequest<?> http,
      OperationRequest asked,
      Function<List<String>, Optional<OperationResult<StorageExchange.Result>>> found,
      BiFunction<CopyProgress, IdListener, Storage.Exchanged> copy) {
    return work.respond(
        http,
        asked,
        new LongOperationResponder.Task<>(
            JsonBody.reader(StorageExchange.Result.class),
            (running, listener, line) -> {
              StorageExchange.Result result =
                  view(copy.apply(new ProgressReporter(running, line), listener));
              running.checkCancelled();
              return new OperationResult<>(200, result, List.of(result.id()));
            },
            found,
            result -> new StorageExchange(null, result, null),
            error -> new StorageExchange(null, null, error),
            false));
  }

  /** Reports progress a few times a second until the client disconnects. Used by one thread. */
  private static final class ProgressReporter implements CopyProgress {
    private final Operation operation;
    private final Consumer<Object> line;
    private long next = System.nanoTime();

    ProgressReporter(Operation operation, Consumer<Object> line) {
      this.operation = operation;
      this.line = line;
    }

    @Override
    public boolean copied(long doneBytes, long totalBytes) {
      if (!operation.copied(doneBytes, totalBytes)) {
        return false;
      }
      long now = System.nanoTime();
      if (now - next < 0 && doneBytes < totalBytes) {
        return true;
      }
      next = now + TELL_NANOS;
      try {
        line.accept(
            new StorageExchange(new StorageExchange.Progress(doneBytes, totalBytes), null, null));
        return true;
      } catch (RametException e) {
        if (e.code() == ErrorCode.CANCELLED) {
          return false;
        }
        throw e;
      }
    }
  }

  private static StorageExchange.Result view(Storage.Exchanged e) {
    return new StorageExchange.Result(
        e.id(),
        e.name(),
        e.template() ? "template" : "snapshot",
        e.base(),
        e.directory().toString(),
        e.files(),
        e.sizeBytes(),
        e.dataBytes());
  }
}
