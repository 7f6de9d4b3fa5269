// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.template;

import dev.ramet.api.template.TemplateInfo;
import dev.ramet.engine.templates.DerivedTemplate;
import dev.ramet.engine.templates.Template;
import dev.ramet.server.host.EngineHolder;
import dev.ramet.server.host.EngineLookup;
import dev.ramet.server.http.ErrorHandlers;
import dev.ramet.server.http.JsonBody;
import dev.ramet.server.operation.Operation;
import dev.ramet.server.operation.OperationRegistry;
import dev.ramet.server.operation.OperationRequest;
import dev.ramet.server.operation.OperationResult;
import dev.ramet.server.operation.OperationRunner;
import dev.ramet.server.view.TemplateView;
import io.micronaut.scheduling.TaskExecutors;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.concurrent.ExecutorService;

/** Runs template builds in the background, while their clients poll. Thread-safe. */
@Singleton
final class BuildRunner {
  private final EngineHolder engine;
  private final OperationRunner work;
  private final OperationRegistry operations;
  private final BuildRegistry builds;
  private final ExecutorService executor;

  BuildRunner(
      EngineHolder engine,
      OperationRunner work,
      OperationRegistry operations,
      BuildRegistry builds,
      @Named(TaskExecutors.BLOCKING) ExecutorService executor) {
    this.engine = engine;
    this.work = work;
    this.operations = operations;
    this.builds = builds;
    this.executor = executor;
  }

  /**
   * Begins a build in the background.
   *
   * @param pins the uploads it copies from, released at its end
   */
  void start(
      OperationRequest asked,
      TemplateBuild build,
      DerivedTemplate wanted,
      List<UploadStore.Pin> pins) {
    work.check(asked);
    build.begin(wanted.steps().size());
    builds.changed();
    Operation operation = operations.begin(asked.kind(), asked.subject(), true);
    build.setOperation(operation);
    executor.execute(() -> run(asked, build, wanted, pins, operation));
  }

  private void run(
      OperationRequest asked,
      TemplateBuild build,
      DerivedTemplate wanted,
      List<UploadStore.Pin> pins,
      Operation operation) {
    try {
      work.runOnce(
          asked,
          JsonBody.reader(TemplateInfo.class),
          operation,
          (doing, listener) -> {
            Template made = engine.get().templates().derive(wanted, build, listener);
            return OperationResult.created(TemplateView.of(made), made.id());
          },
          ids ->
              EngineLookup.template(engine, ids)
                  .map(t -> OperationResult.created(TemplateView.of(t), t.id())));
      build.succeeded();
    } catch (Throwable e) { // the client polls until the build has ended
      build.failed(ErrorHandlers.body(e, asked.kind()));
    } finally {
      builds.changed();
      pins.forEach(UploadStore.Pin::close);
    }
  }
}
