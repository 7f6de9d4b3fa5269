// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server;

import dev.ramet.api.TemplateInfo;
import dev.ramet.engine.DerivedTemplate;
import dev.ramet.engine.Template;
import dev.ramet.server.build.Build;
import dev.ramet.server.build.Builds;
import dev.ramet.server.build.Uploads;
import dev.ramet.server.work.Asked;
import dev.ramet.server.work.Operation;
import dev.ramet.server.work.OperationLog;
import dev.ramet.server.work.Outcome;
import dev.ramet.server.work.Work;
import io.micronaut.scheduling.TaskExecutors;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.concurrent.ExecutorService;

/** Carries out template builds while their clients ask how far they are. Thread-safe. */
@Singleton
final class BuildRunner {
  private final EngineHolder engine;
  private final Views views;
  private final Work work;
  private final OperationLog operations;
  private final Builds builds;
  private final ExecutorService executor;

  BuildRunner(
      EngineHolder engine,
      Views views,
      Work work,
      OperationLog operations,
      Builds builds,
      @Named(TaskExecutors.BLOCKING) ExecutorService executor) {
    this.engine = engine;
    this.views = views;
    this.work = work;
    this.operations = operations;
    this.builds = builds;
    this.executor = executor;
  }

  /**
   * Begins a build, and leaves it to itself.
   *
   * @param pins what it copies from, which it lets go of at its end
   */
  void start(Asked asked, Build build, DerivedTemplate wanted, List<Uploads.Pin> pins) {
    work.check(asked);
    build.begin(wanted.steps().size());
    builds.changed();
    Operation operation = operations.begin(asked.kind(), asked.subject(), true);
    build.as(operation);
    executor.execute(() -> run(asked, build, wanted, pins, operation));
  }

  private void run(
      Asked asked,
      Build build,
      DerivedTemplate wanted,
      List<Uploads.Pin> pins,
      Operation operation) {
    try {
      work.once(
          asked,
          Json.reader(TemplateInfo.class),
          operation,
          doing -> {
            Template made = engine.get().templates().derive(wanted, build);
            return Outcome.created(views.of(made), made.id());
          },
          ids -> Found.template(engine, ids).map(t -> Outcome.created(views.of(t), t.id())));
      build.succeeded();
    } catch (Throwable e) { // the client asks until it is told an end
      build.failed(ErrorHandlers.body(e, asked.kind()));
    } finally {
      builds.changed();
      pins.forEach(Uploads.Pin::close);
    }
  }
}
