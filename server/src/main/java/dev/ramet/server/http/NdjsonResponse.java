// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.http;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.scheduling.TaskExecutors;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.function.Consumer;
import java.util.function.Function;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink;

/**
 * Streams a response line by line, one JSON object each, while the work runs. The work is cancelled
 * when the client disconnects. Thread-safe.
 */
@Singleton
public final class NdjsonResponse {
  /** One JSON object per line. */
  public static final String NDJSON = "application/x-ndjson";

  private static final byte[] LINE_END = "\n".getBytes(StandardCharsets.US_ASCII);

  private final ExecutorService executor;

  NdjsonResponse(@Named(TaskExecutors.BLOCKING) ExecutorService executor) {
    this.executor = executor;
  }

  /** Returns whether the client accepts this format. */
  public static boolean isAccepted(HttpRequest<?> request) {
    return request.accept().stream().anyMatch(type -> type.getName().equalsIgnoreCase(NDJSON));
  }

  /**
   * Runs the work and streams its lines.
   *
   * @param work produces the lines; if it fails, the failure becomes the last line
   * @param failed converts the wire form of a failure to a line
   */
  public HttpResponse<?> stream(
      HttpRequest<?> request,
      Consumer<Consumer<Object>> work,
      Function<dev.ramet.api.operation.ApiError, Object> failed) {
    String what = request.getMethodName() + " " + request.getPath();
    Flux<byte[]> lines =
        Flux.create(
            sink ->
                executor.execute(
                    () -> {
                      try {
                        work.accept(value -> line(sink, value));
                      } catch (Throwable e) { // the client needs a last line in any case
                        if (!sink.isCancelled()) {
                          line(sink, failed.apply(ErrorHandlers.body(e, what)));
                        }
                      }
                      sink.complete();
                    }));
    return HttpResponse.ok(lines).contentType(MediaType.of(NDJSON));
  }

  private static void line(FluxSink<byte[]> sink, Object value) {
    if (sink.isCancelled()) {
      throw new RametException(ErrorCode.CANCELLED, "the client went away");
    }
    byte[] json = JsonBody.bytes(value);
    byte[] line = new byte[json.length + LINE_END.length];
    System.arraycopy(json, 0, line, 0, json.length);
    System.arraycopy(LINE_END, 0, line, json.length, LINE_END.length);
    sink.next(line);
  }
}
