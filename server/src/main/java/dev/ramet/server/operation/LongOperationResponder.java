// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.operation;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.api.operation.ApiError;
import dev.ramet.engine.IdListener;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.server.http.ErrorHandlers;
import dev.ramet.server.http.JsonBody;
import dev.ramet.server.http.NdjsonResponse;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.scheduling.TaskExecutors;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink;

/**
 * Responds to requests for long operations in the way the client asks for: at the end; line by line
 * while they run, if it accepts {@code application/x-ndjson}; or at once with an operation to poll,
 * if it sends {@code Prefer: respond-async} (RFC 7240). Thread-safe.
 */
@Singleton
public final class LongOperationResponder {
  private static final Logger LOG = LoggerFactory.getLogger(LongOperationResponder.class);
  private static final byte[] LINE_END = "\n".getBytes(StandardCharsets.US_ASCII);

  private final OperationRunner work;
  private final OperationRegistry operations;
  private final ExecutorService executor;

  LongOperationResponder(
      OperationRunner work,
      OperationRegistry operations,
      @Named(TaskExecutors.BLOCKING) ExecutorService executor) {
    this.work = work;
    this.operations = operations;
    this.executor = executor;
  }

  /** The work of a long operation. */
  @FunctionalInterface
  public interface Work<T> {
    /**
     * Does the work.
     *
     * @param operation takes its progress
     * @param ids must receive the ids of all that the work makes, before it makes them
     * @param line sends a line to the client
     */
    OperationResult<T> apply(Operation operation, IdListener ids, Consumer<Object> line);
  }

  /**
   * A long operation.
   *
   * @param reader parses a stored response
   * @param work performs it; lines it produces are sent to the client
   * @param found see {@link OperationRunner#runOnce}
   * @param last creates the last line of a successful response
   * @param failed creates the last line after a failure
   * @param carriedOn whether it continues when a client that reads lines disconnects
   */
  public record Task<T>(
      Function<JsonNode, T> reader,
      Work<T> work,
      Function<List<String>, Optional<OperationResult<T>>> found,
      Function<T, Object> last,
      Function<ApiError, Object> failed,
      boolean carriedOn) {}

  /** Performs an operation and responds. */
  public <T> HttpResponse<?> respond(HttpRequest<?> http, OperationRequest asked, Task<T> task) {
    work.check(asked);
    if (isAsync(http)) {
      Operation operation = operations.begin(asked.kind(), asked.subject(), true);
      executor.execute(() -> runInBackground(asked, task, operation));
      return HttpResponse.accepted()
          .body(operation.info())
          .header("Location", "/operations/" + operation.id())
          .header("Preference-Applied", "respond-async");
    }
    if (!NdjsonResponse.isAccepted(http)) {
      OperationResult<T> outcome = run(asked, task, begin(asked), line -> {});
      return HttpResponse.status(outcome.status(), null).body(outcome.body());
    }
    Flux<byte[]> lines =
        Flux.create(sink -> executor.execute(() -> streamLines(asked, task, new Sink(sink, task))));
    return HttpResponse.ok(lines).contentType(MediaType.of(NdjsonResponse.NDJSON));
  }

  private static boolean isAsync(HttpRequest<?> http) {
    return http.getHeaders().getAll("Prefer").stream()
        .flatMap(preferences -> List.of(preferences.split(",", -1)).stream())
        .anyMatch(preference -> preference.strip().equalsIgnoreCase("respond-async"));
  }

  private Operation begin(OperationRequest asked) {
    return operations.begin(asked.kind(), asked.subject(), true);
  }

  private <T> OperationResult<T> run(
      OperationRequest asked, Task<T> task, Operation operation, Consumer<Object> line) {
    return work.runOnce(
        asked,
        task.reader(),
        operation,
        (op, ids) -> task.work().apply(op, ids, line),
        task.found());
  }

  private <T> void runInBackground(OperationRequest asked, Task<T> task, Operation operation) {
    try {
      run(asked, task, operation, line -> {});
    } catch (RametException e) {
      LOG.debug("operation={}", operation.id(), e); // the operation itself reports the failure
    } catch (RuntimeException e) {
      LOG.error("operation={}", operation.id(), e);
    }
  }

  private <T> void streamLines(OperationRequest asked, Task<T> task, Sink sink) {
    try {
      sink.line(task.last().apply(run(asked, task, begin(asked), sink::line).body()));
    } catch (Throwable e) { // the client needs a last line in any case
      if (!sink.sink.isCancelled()) {
        sink.line(task.failed().apply(ErrorHandlers.body(e, asked.kind())));
      }
    }
    sink.sink.complete();
  }

  /** The destination of lines. Used by one thread. */
  private record Sink(FluxSink<byte[]> sink, Task<?> task) {
    void line(Object value) {
      if (sink.isCancelled()) {
        if (task.carriedOn()) {
          return;
        }
        throw new RametException(ErrorCode.CANCELLED, "the client went away");
      }
      byte[] json = JsonBody.bytes(value);
      byte[] line = new byte[json.length + LINE_END.length];
      System.arraycopy(json, 0, line, 0, json.length);
      System.arraycopy(LINE_END, 0, line, json.length, LINE_END.length);
      sink.next(line);
    }
  }
}
