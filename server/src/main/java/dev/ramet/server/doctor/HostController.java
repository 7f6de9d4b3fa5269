// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.doctor;

import dev.ramet.api.host.DoctorInfo;
import dev.ramet.api.host.Health;
import dev.ramet.engine.Metric;
import dev.ramet.engine.start.Engine;
import dev.ramet.server.host.EngineHolder;
import dev.ramet.server.http.FieldValidation;
import dev.ramet.server.http.LookupExecutor;
import dev.ramet.server.operation.OperationRegistry;
import dev.ramet.server.settings.HostSettings;
import dev.ramet.server.view.DoctorView;
import dev.ramet.spi.settings.Settings;
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
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.ArrayList;
import java.util.List;

/** Routes for the host's health, metrics, plugins and doctor. */
@Controller
@Tag(name = "host")
final class HostController {
  private final EngineHolder engine;

  private final OperationRegistry operations;
  private final boolean ownDomain;

  HostController(EngineHolder engine, OperationRegistry operations, Settings settings) {
    this.engine = engine;
    this.operations = operations;
    this.ownDomain = settings.find(HostSettings.DOMAIN).isPresent();
  }

  /**
   * Returns 200 as soon as the server listens, whether or not the engine is open.
   *
   * @return status and number of sandboxes
   */
  @Get("/health")
  @ExecuteOn(LookupExecutor.NAME)
  Health getHealth() {
    Engine open = engine.getIfOpen();
    return new Health("ok", open == null ? 0 : open.sandboxes().list().size());
  }

  /**
   * Returns 200 when the engine is open, otherwise 503: until then requests wait or fail.
   *
   * @return status and number of sandboxes
   */
  @Get("/ready")
  @ExecuteOn(LookupExecutor.NAME)
  Health getReadiness() {
    Engine open = engine.getIfOpen();
    if (open == null) {
      throw engine.notOpen();
    }
    return new Health("ready", open.sandboxes().list().size());
  }

  /**
   * Returns the engine's metrics for Prometheus.
   *
   * @return its text format
   */
  @Get("/metrics")
  @Produces(PrometheusText.CONTENT_TYPE)
  @ExecuteOn(TaskExecutors.BLOCKING)
  String getHostMetrics() {
    List<Metric> all = new ArrayList<>(engine.get().metrics());
    all.add(operations.metric());
    return PrometheusText.format(all);
  }

  /**
   * Lists every plugin with the outcome of its probe, including refused plugins.
   *
   * @return the plugins
   */
  @Get("/plugins")
  @ExecuteOn(TaskExecutors.BLOCKING)
  List<DoctorInfo.Plugin> listPlugins() {
    return DoctorView.of(engine.get().doctor().report(false)).plugins();
  }

  /**
   * Probes all plugins again and returns the report.
   *
   * @return the report
   */
  @Post("/doctor")
  @Consumes(MediaType.ALL)
  @ExecuteOn(TaskExecutors.BLOCKING)
  DoctorInfo probePlugins() {
    return report(true);
  }

  /**
   * Returns what this host can do, which plugins were selected and why.
   *
   * @param refresh true: probe again
   * @return the report
   */
  @Get("/doctor")
  @ExecuteOn(TaskExecutors.BLOCKING)
  DoctorInfo getDoctorReport(@QueryValue @Nullable String refresh) {
    return report(FieldValidation.flag("refresh", refresh));
  }

  private DoctorInfo report(boolean refresh) {
    DoctorInfo engines = DoctorView.of(engine.get().doctor().report(refresh));
    List<String> advice = new ArrayList<>(engines.advice());
    if (!ownDomain) {
      LocalNames.advice(LocalNames.SERVICES).ifPresent(advice::add);
    }
    return new DoctorInfo(
        engines.verdict(), engines.host(), engines.plugins(), engines.selections(), advice);
  }
}
