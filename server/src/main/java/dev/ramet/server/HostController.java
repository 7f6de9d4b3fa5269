// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server;

import dev.ramet.api.DoctorInfo;
import dev.ramet.api.Health;
import dev.ramet.engine.Engine;
import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Consumes;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Produces;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import java.util.List;

/** What the host says of itself. */
@Controller
final class HostController {
  private final EngineHolder engine;
  private final Views views;

  HostController(EngineHolder engine, Views views) {
    this.engine = engine;
    this.views = views;
  }

  /** Answers as soon as the server listens, whether or not the engine is open. */
  @Get("/health")
  @ExecuteOn(LookupExecutor.NAME)
  Health health() {
    Engine open = engine.peek();
    return new Health("ok", open == null ? 0 : open.sandboxes().list().size());
  }

  /** What the engine counts, for Prometheus. */
  @Get("/metrics")
  @Produces(Exposition.CONTENT_TYPE)
  @ExecuteOn(TaskExecutors.BLOCKING)
  String metrics() {
    return Exposition.of(engine.get().metrics());
  }

  /** Every plugin with its probe outcome, and those that were refused. */
  @Get("/plugins")
  @ExecuteOn(TaskExecutors.BLOCKING)
  List<DoctorInfo.Plugin> plugins() {
    return views.of(engine.get().doctor().report(false)).plugins();
  }

  /** Probes again and tells what was found. */
  @Post("/doctor")
  @Consumes(MediaType.ALL)
  @ExecuteOn(TaskExecutors.BLOCKING)
  DoctorInfo examine() {
    return views.of(engine.get().doctor().report(true));
  }

  @Get("/doctor")
  @ExecuteOn(TaskExecutors.BLOCKING)
  DoctorInfo doctor(@QueryValue @Nullable String refresh) {
    return views.of(engine.get().doctor().report(Checks.flag("refresh", refresh)));
  }
}
