// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.template;

import dev.ramet.engine.Progress;
import dev.ramet.engine.start.Engine;
import dev.ramet.engine.templates.BuildTemplate;
import dev.ramet.engine.templates.Template;
import dev.ramet.errors.RametException;
import dev.ramet.server.host.EngineHolder;
import dev.ramet.server.http.JsonBody;
import dev.ramet.server.operation.Operation;
import dev.ramet.server.operation.OperationRegistry;
import dev.ramet.server.operation.OperationRequest;
import dev.ramet.server.operation.OperationResult;
import dev.ramet.server.operation.OperationRunner;
import dev.ramet.spi.settings.Setting;
import dev.ramet.spi.settings.Settings;
import io.micronaut.runtime.event.annotation.EventListener;
import io.micronaut.runtime.server.event.ServerStartupEvent;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Builds the default template on a host that has no template: at once, after asking on the host's
 * terminal, or never. The build is an operation like one that a request began. Thread-safe.
 */
@Singleton
public final class FirstTemplate {
  /** Whether a host that has no template builds the default one. */
  public static final Setting<Build> BUILD =
      Setting.constant(
          "ramet.template-build",
          Build.ASK,
          "Whether a host that has no template builds the default one, micro, when it starts."
              + " AUTO: it does, and logs the progress. ASK: it asks if it runs in the foreground"
              + " of a terminal, and otherwise logs how to build one. OFF: neither.");

  private static final Logger LOG = LoggerFactory.getLogger(FirstTemplate.class);
  private static final String RECIPE = "micro";
  private static final String REMEDY =
      "build the default one with: ramet template build (or start the host with"
          + " ramet.template-build=auto)";
  private static final Duration STOP = Duration.ofSeconds(10);

  private final EngineHolder engine;
  private final OperationRunner work;
  private final OperationRegistry operations;
  private final Build wanted;
  private final ForegroundTerminal terminal;
  private @Nullable Thread thread;
  private @Nullable Operation build;
  private boolean stopped;

  FirstTemplate(
      EngineHolder engine, OperationRunner work, OperationRegistry operations, Settings settings) {
    this.engine = engine;
    this.work = work;
    this.operations = operations;
    this.wanted = settings.get(BUILD);
    this.terminal = ForegroundTerminal.ofThisProcess();
  }

  /** Whether to build the default template on a host that has none. */
  public enum Build {
    /** Build it. */
    AUTO,
    /** Ask for it on the host's terminal, if it has one. */
    ASK,
    /** Do not build it. */
    OFF
  }

  /** Waits for the engine in the background, and then builds or asks. */
  @EventListener
  void afterStart(ServerStartupEvent event) {
    if (wanted != Build.OFF) {
      engine.opened().thenAccept(this::begin);
    }
  }

  private synchronized void begin(Engine open) {
    if (!stopped) {
      Thread started = new Thread(() -> run(open), "first-template");
      started.setDaemon(true);
      started.start();
      thread = started;
    }
  }

  private void run(Engine open) {
    try {
      if (open.templates().list().isEmpty() && isWanted() && open.templates().list().isEmpty()) {
        build(open);
      }
    } catch (RametException e) {
      LOG.warn("no template was built: {}; {}", e.getMessage(), REMEDY);
      if (e.remedy() != null) {
        LOG.warn("remedy: {}", e.remedy());
      }
    } catch (RuntimeException e) {
      LOG.error("no template was built; {}", REMEDY, e);
    }
  }

  private boolean isWanted() {
    if (wanted == Build.AUTO) {
      return true;
    }
    Boolean answer =
        terminal.ask(
            "This host has no template to start sandboxes from. Build the default one, "
                + RECIPE
                + ", now? [Y/n] ");
    if (!Boolean.TRUE.equals(answer)) {
      LOG.info("this host has no template yet; {}", REMEDY);
      return false;
    }
    return true;
  }

  private void build(Engine open) {
    Operation operation;
    synchronized (this) {
      if (stopped) {
        return;
      }
      operation = operations.begin("template.build", RECIPE, true);
      build = operation;
    }
    OperationResult<Template> made =
        work.runOnce(
            new OperationRequest("template.build", RECIPE, "host", null, ""),
            JsonBody.reader(Template.class),
            operation,
            (running, ids) -> {
              Template template =
                  open.templates()
                      .build(
                          new BuildTemplate(RECIPE, RECIPE, null, null, null),
                          new LoggedProgress(running));
              return OperationResult.created(template, template.id());
            },
            ids -> Optional.empty());
    LOG.info("the template {} is ready: {}", RECIPE, made.body().id());
  }

  /** Logs the steps of the build, which nobody else may be watching. */
  private record LoggedProgress(Operation running) implements Progress {
    @Override
    public void step(String description) {
      running.step(description);
      LOG.info("building the template {}: {}", RECIPE, description);
    }

    @Override
    public void checkCancelled() {
      running.checkCancelled();
    }
  }

  /** Ends a question or a build; the next start begins again. */
  @PreDestroy
  void stop() throws InterruptedException {
    Thread running;
    synchronized (this) {
      stopped = true;
      running = thread;
      if (build != null && running != null && running.isAlive()) {
        operations.cancel(build.id());
      }
    }
    terminal.close();
    if (running != null) {
      running.join(STOP.toMillis());
    }
  }
}
