// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.operation;

import dev.ramet.api.operation.OperationInfo;
import dev.ramet.errors.RametException;
import dev.ramet.server.access.Caller;
import dev.ramet.server.http.FieldValidation;
import dev.ramet.server.http.JsonBody;
import dev.ramet.server.http.LookupExecutor;
import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Delete;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.PathVariable;
import io.micronaut.http.annotation.Produces;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.http.annotation.Status;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink;

/** Routes for running and finished operations: list, get, cancel, watch. */
@Controller("/operations")
@Tag(name = "operations")
@ExecuteOn(LookupExecutor.NAME)
final class OperationController {
  private static final Set<String> STATES = Set.of("running", "done", "failed", "cancelled");
  private static final int DEFAULT = 100;
  private static final int MAX = 1000;

  /** Proxies close connections that stay silent for long. */
  private static final Duration BEAT = Duration.ofSeconds(15);

  private final OperationRegistry operations;

  OperationController(OperationRegistry operations) {
    this.operations = operations;
  }

  /**
   * Lists the running operations, and the last thousand that ended since the host was started; the
   * newest first.
   *
   * @param state only operations in this state: {@code running}, {@code done}, {@code failed} or
   *     {@code cancelled}
   * @param kind only operations of this kind, such as {@code sandbox.clone}
   * @param subject only operations on this sandbox, snapshot or template, by its id or name at that
   *     time
   * @param limit how many, 1 to 1000; 100 if absent
   * @return the operations
   */
  @Get
  List<OperationInfo> listOperations(
      @QueryValue @Nullable String state,
      @QueryValue @Nullable String kind,
      @QueryValue @Nullable String subject,
      @QueryValue @Nullable Integer limit) {
    Integer most = FieldValidation.range("limit", limit, 1, MAX);
    if (state != null && !STATES.contains(state)) {
      throw RametException.invalid("state", "must be running, done, failed or cancelled");
    }
    return operations.list().stream()
        .map(Operation::info)
        .filter(o -> state == null || state.equals(o.state()))
        .filter(o -> kind == null || kind.equals(o.kind()))
        .filter(o -> subject == null || subject.equals(o.subject()))
        .limit(most == null ? DEFAULT : most)
        .toList();
  }

  /**
   * Returns the state of an operation.
   *
   * @param id the operation
   * @return the operation
   */
  @Get("/{id}")
  OperationInfo getOperation(@PathVariable String id) {
    return operations.get(id).info();
  }

  /**
   * Cancels an operation. It ends at its next step and undoes its changes. An operation that has
   * ended or cannot be cancelled gives 409.
   *
   * @param id the operation
   * @return the operation, which may still be running
   */
  @Delete("/{id}")
  @Status(HttpStatus.ACCEPTED)
  OperationInfo cancelOperation(HttpRequest<?> http, @PathVariable String id) {
    Operation operation = operations.get(id);
    if (!operation.kind().startsWith("sandbox.") && !operation.kind().startsWith("snapshot.")) {
      Caller.requireAdmin(http, "cancelling a " + operation.kind());
    }
    operations.cancel(id);
    return operation.info();
  }

  /**
   * Streams the progress of an operation as server-sent events: one named {@code progress} at once
   * and at every change, and a last one named {@code end}. The data of each event is the operation.
   *
   * @param id the operation
   * @return the events
   */
  @Get("/{id}/events")
  @Produces(MediaType.TEXT_EVENT_STREAM)
  @ApiResponse(
      responseCode = "200",
      description = "the events",
      content =
          @Content(
              mediaType = MediaType.TEXT_EVENT_STREAM,
              schema = @Schema(implementation = OperationInfo.class)))
  HttpResponse<Flux<byte[]>> streamOperationEvents(@PathVariable String id) {
    Operation operation = operations.get(id);
    Flux<byte[]> events = Flux.create(sink -> follow(operation, sink));
    return HttpResponse.ok(events)
        .contentType(MediaType.TEXT_EVENT_STREAM_TYPE)
        .header("Cache-Control", "no-store");
  }

  private static void follow(Operation operation, FluxSink<byte[]> sink) {
    Disposable beats =
        Flux.interval(BEAT).subscribe(n -> sink.next(":\n\n".getBytes(StandardCharsets.US_ASCII)));
    Runnable stop =
        operation.listen(
            info -> {
              boolean ended = info.endedAt() != null;
              sink.next(event(ended ? "end" : "progress", info));
              if (ended) {
                sink.complete();
              }
            });
    sink.onDispose(
        () -> {
          beats.dispose();
          stop.run();
        });
  }

  private static byte[] event(String name, OperationInfo info) {
    String json = new String(JsonBody.bytes(info), StandardCharsets.UTF_8);
    return ("event: " + name + "\ndata: " + json + "\n\n").getBytes(StandardCharsets.UTF_8);
  }
}
