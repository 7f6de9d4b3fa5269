// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.template;

import dev.ramet.api.template.BuildEvent;
import dev.ramet.api.template.TemplateInfo;
import dev.ramet.engine.IdListener;
import dev.ramet.engine.Progress;
import dev.ramet.engine.templates.Template;
import dev.ramet.server.host.EngineHolder;
import dev.ramet.server.host.EngineLookup;
import dev.ramet.server.http.JsonBody;
import dev.ramet.server.operation.LongOperationResponder;
import dev.ramet.server.operation.Operation;
import dev.ramet.server.operation.OperationRequest;
import dev.ramet.server.operation.OperationResult;
import dev.ramet.server.view.TemplateView;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import jakarta.inject.Singleton;
import java.util.function.BiFunction;
import java.util.function.Consumer;

/** Makes templates and streams the progress to clients that accept it. Thread-safe. */
@Singleton
final class TemplateMaker {
  private final EngineHolder engine;
  private final LongOperationResponder work;

  TemplateMaker(EngineHolder engine, LongOperationResponder work) {
    this.engine = engine;
    this.work = work;
  }

  /**
   * Makes a template and responds with it. The template stays useful, so it is completed even if
   * the client disconnects.
   */
  HttpResponse<?> make(
      HttpRequest<?> http,
      OperationRequest asked,
      BiFunction<Progress, IdListener, Template> operation) {
    return work.respond(
        http,
        asked,
        new LongOperationResponder.Task<>(
            JsonBody.reader(TemplateInfo.class),
            (running, listener, line) -> {
              Template made = operation.apply(new Told(running, line), listener);
              return OperationResult.created(TemplateView.of(made), made.id());
            },
            ids ->
                EngineLookup.template(engine, ids)
                    .map(t -> OperationResult.created(TemplateView.of(t), t.id())),
            made -> new BuildEvent(null, made, null),
            error -> new BuildEvent(null, null, error),
            true));
  }

  /**
   * Reports progress to the operation and its client.
   *
   * @param line sends a line to the client
   */
  private record Told(Operation running, Consumer<Object> line) implements Progress {
    @Override
    public void step(String description) {
      running.step(description);
      line.accept(new BuildEvent(description, null, null));
    }

    @Override
    public void checkCancelled() {
      running.checkCancelled();
    }
  }
}
