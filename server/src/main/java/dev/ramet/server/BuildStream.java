// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server;

import dev.ramet.api.BuildEvent;
import dev.ramet.engine.Progress;
import dev.ramet.engine.Template;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.scheduling.TaskExecutors;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.function.Function;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink;

/**
 * Answers a long operation: all at its end, or line by line while it goes on. An operation whose
 * client went away is carried on, since what it makes stays useful. Thread-safe.
 */
@Singleton
final class BuildStream {
  /** One JSON object per line. */
  static final String NDJSON = "application/x-ndjson";

  private static final byte[] LINE_END = "\n".getBytes(StandardCharsets.US_ASCII);

  private final Views views;
  private final ExecutorService executor;

  BuildStream(Views views, @Named(TaskExecutors.BLOCKING) ExecutorService executor) {
    this.views = views;
    this.executor = executor;
  }

  HttpResponse<?> answer(HttpRequest<?> request, Function<Progress, Template> operation) {
    boolean lines =
        request.accept().stream().anyMatch(type -> type.getName().equalsIgnoreCase(NDJSON));
    if (!lines) {
      return HttpResponse.created(views.of(operation.apply(Progress.NONE)));
    }
    Flux<byte[]> events =
        Flux.create(sink -> executor.execute(() -> run(request, operation, sink)));
    return HttpResponse.ok(events).contentType(MediaType.of(NDJSON));
  }

  private void run(
      HttpRequest<?> request, Function<Progress, Template> operation, FluxSink<byte[]> sink) {
    try {
      Template made = operation.apply(step -> line(sink, new BuildEvent(step, null, null)));
      line(sink, new BuildEvent(null, views.of(made), null));
    } catch (Throwable e) { // the client waits for a last line whatever happens
      String what = request.getMethodName() + " " + request.getPath();
      line(sink, new BuildEvent(null, null, ErrorHandlers.body(e, what)));
    }
    sink.complete();
  }

  private static void line(FluxSink<byte[]> sink, BuildEvent event) {
    byte[] json = Json.bytes(event);
    byte[] line = new byte[json.length + LINE_END.length];
    System.arraycopy(json, 0, line, 0, json.length);
    System.arraycopy(LINE_END, 0, line, json.length, LINE_END.length);
    sink.next(line);
  }
}
